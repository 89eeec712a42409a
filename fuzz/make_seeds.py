"""Writes the seed inputs, fuzz/corpus/TARGET/*. Inputs that once failed lie beside them as they are.

    python3 make_seeds.py
"""

from __future__ import annotations

import bz2
import gzip
import json
import struct
from pathlib import Path
from typing import Dict, List, Sequence

CORPUS = Path(__file__).resolve().parent / "corpus"


def piece(data: bytes) -> bytes:
    return struct.pack("<H", len(data)) + data


def npy(descr: str, shape: str, data: bytes = b"", version: int = 1, order: str = "False") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    start = 10 if version == 1 else 12
    text += b" " * (-(start + len(text) + 1) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def npy_header() -> Dict[str, bytes]:
    return {
        "float32": npy("<f4", "(2, 3)", struct.pack("<6f", *range(6))),
        "int64": npy("<i8", "(3,)", struct.pack("<3q", 1, 2, 3), version=2),
        "bfloat16": npy("|V2", "(1, 0, 4)", version=3),
        "bool": npy("|b1", "(4L,)", b"\1\0\1\1"),
        "fortran": npy("<f8", "(2, 2)", bytes(32), order="True"),
        "big": npy(">f8", "(2, 2)", bytes(32)),
        "structured": npy("x", "(1,)").replace(b"'x'", b"[('a', '<f4')]"),
        "scalar": npy("<f8", "()", bytes(8)),
        "no_array": b"PK\x03\x04",
    }


def owners() -> Dict[str, bytes]:
    def seed(count: int, wide: bool, data: bytes, is_array: bool = False) -> bytes:
        return bytes([4 * count + 2 * wide + is_array]) + data

    return {
        "text": seed(3, False, b"3\n0\n1\n"),
        "blanks": seed(3, True, b" 3\t\r\n299\n1"),
        "too_large": seed(2, False, b"3\n4\n"),
        "negative": seed(2, False, b"0\n-1\n"),
        "too_many": seed(2, False, b"0\n1\n2\n"),
        "empty": seed(0, False, b""),
        "int64": seed(3, True, npy("<i8", "(3,)", struct.pack("<3q", 299, 1, 2)), True),
        "uint8": seed(3, False, npy("|u1", "(3,)", bytes([3, 1, 2])), True),
        "int16": seed(2, False, npy("<i2", "(2,)", struct.pack("<2h", 1, -1)), True),
        "float32": seed(1, False, npy("<f4", "(1,)", bytes(4)), True),
    }


# ---- manifests and folders ----------------------------------------------------------------------


def array(file: str, dtype: str, *shape: int) -> Dict[str, object]:
    return {"file": file, "dtype": dtype, "shape": list(shape)}


def topology(name: str, rows: int, edges: int, ids: bool) -> Dict[str, object]:
    out = {
        "indptr": array(f"{name}/indptr.npy", "int64", rows + 1),
        "indices": array(f"{name}/indices.npy", "int32", edges),
    }
    if ids:
        out["edge_ids"] = array(f"{name}/ids.npy", "int32", edges)
    return out


def manifest() -> Dict[str, object]:
    return {
        "format": "gls-dataset",
        "version": 1,
        "created_by": "a seed",
        "node_types": [
            {
                "name": "a",
                "count": 3,
                "columns": [
                    {"name": "x", "row_shape": [2], "array": array("x.npy", "float32", 3, 2)},
                    {
                        "name": "y",
                        "role": "label",
                        "row_shape": [],
                        "array": array("y.npy", "int64", 3),
                    },
                    {"name": "p", "row_shape": [3], "array": array("p.npy", "uint8", 3, 4)},
                    {
                        "name": "q",
                        "row_shape": [5],
                        "array": array("q.npy", "uint8", 3, 2),
                        "quantized": {"bits": 2, "codebook": [0, 1.5, -2, 1e-3]},
                    },
                ],
                "id_sets": [{"name": "train", "array": array("train.npy", "int64", 2)}],
                "keys": {
                    "kind": "string",
                    "values": array("keys.npy", "uint8", 5),
                    "offsets": array("offsets.npy", "int64", 4),
                    "order": array("order.npy", "int64", 3),
                },
            },
            {"name": "b", "count": 0},
        ],
        "edge_types": [
            {
                "source": "a",
                "relation": "e",
                "target": "a",
                "count": 4,
                "csc": topology("csc", 3, 4, False),
                "csr": topology("csr", 3, 4, True),
                "columns": [
                    {
                        "name": "w",
                        "role": "weight",
                        "row_shape": [],
                        "array": array("w.npy", "float32", 4),
                    }
                ],
            }
        ],
    }


def folder_bytes() -> bytes:
    """The arrays in the order in which the target writes them."""
    return b"".join(
        [
            struct.pack("<4q", 0, 2, 3, 4),  # csc
            struct.pack("<4i", 1, 2, 0, 1),
            struct.pack("<4q", 0, 1, 3, 4),  # csr: 0>1, 1>0, 1>2, 2>0
            struct.pack("<4i", 1, 0, 2, 0),
            struct.pack("<4i", 2, 0, 3, 1),
            struct.pack("<4f", 1, 2, 0.5, 0),
            struct.pack("<6f", *range(6)),
            struct.pack("<3q", 0, 1, 0),
            bytes(range(12)),
            bytes(range(250, 256)),
            struct.pack("<2q", 2, 0),
            b"annbo",
            struct.pack("<4q", 0, 3, 5, 5),
            struct.pack("<3q", 2, 0, 1),
        ]
    )


def index_words(count: int, owned: List[int]) -> bytes:
    lines = [[0] * 8 for _ in range(-(-count // 448))]
    for i in owned:
        lines[i // 448][1 + i % 448 // 64] |= 1 << i % 448 % 64
    return b"".join(struct.pack("<8Q", *line) for line in lines)


def part() -> Dict[str, object]:
    """The part of a graph of 4 nodes and 5 edges that owns nodes 1 and 3."""
    return {
        "format": "gls-dataset",
        "version": 2,
        "node_types": [
            {
                "name": "a",
                "count": 3,
                "columns": [{"name": "x", "row_shape": [], "array": array("x.npy", "uint8", 2)}],
                "whole": {
                    "count": 4,
                    "owned": 2,
                    "ids": array("ids.npy", "int64", 3),
                    "index": array("index.npy", "uint64", 1, 8),
                },
            }
        ],
        "edge_types": [
            {
                "source": "a",
                "relation": "e",
                "target": "a",
                "count": 2,
                "csc": {
                    "indptr": array("p.npy", "int64", 4),
                    "indices": array("i.npy", "int32", 2),
                },
                "whole": {
                    "count": 5,
                    "owned": 2,
                    "ids": array("eids.npy", "int64", 2),
                    "index": array("eindex.npy", "uint64", 1, 8),
                },
            }
        ],
        "part": {"number": 1, "parts": 2, "graph": "0123456789abcdef"},
    }


def partition() -> Dict[str, object]:
    whole = manifest()
    return {
        "format": "gls-partition",
        "version": 1,
        "parts": 2,
        "graph": "0123456789abcdef",
        "method": "hash",
        "node_books": [
            {"type": "a", "array": array("book/nodes-0.npy", "uint8", 3)},
            {"type": "b", "array": array("book/nodes-1.npy", "int64", 3)},
        ],
        "edge_books": [{"type": "a__e__a", "array": array("book/edges-0.npy", "uint8", 4)}],
        "whole": whole,
    }


def manifests() -> Dict[str, bytes]:
    whole = manifest()
    text = json.dumps(whole, separators=(",", ":")).encode()
    integer_keys = manifest()
    integer_keys["node_types"] = [
        {
            "name": "a",
            "count": 2,
            "keys": {"kind": "integer", "values": array("k.npy", "int64", 2)},
        }
    ]
    integer_keys["edge_types"] = []
    small = json.dumps(integer_keys, separators=(",", ":")).encode()
    out = {
        "text": json.dumps(whole, indent=1).encode(),
        "bad_text": b'{"format": "gls-dataset", "version": 1, "node_types": [null]}',
        "keys": b"\0" + piece(small) + struct.pack("<2q", -5, 7),
    }
    role = b'{"format": "gls-dataset", "node_types": [{"name": "n", "columns": [{"role": '
    out["deep"] = role + b"[" * 3000 + b"]" * 3000 + b"}]}]}"
    out["role"] = role + b"[[1]]}]}]}"
    out["twice"] = b'{"format": "gls-dataset", "format": "x"}'
    out["many_keys"] = b"{" + b",".join(b'"k%d":0' % i for i in range(500)) + b"}"
    for flags in (0, 4, 8, 16 + 4, 32 + 1, 64 + 2, 64 + 8 + 4):
        out[f"folder_{flags}"] = bytes([flags]) + piece(text) + folder_bytes()
    out["damaged"] = b"\0" + piece(text) + bytes(range(256))
    small = json.dumps(part(), separators=(",", ":")).encode()
    # Filled in the order in which the target writes them, one stream of bytes over all arrays.
    edges = struct.pack("<4q2i2q", 0, 1, 2, 2, 2, 0, 1, 4) + index_words(5, [1, 4])
    nodes = struct.pack("<3q", 1, 3, 0) + index_words(4, [1, 3]) + b"xy"
    for flags in (0, 4, 16 + 4):
        out[f"part_{flags}"] = bytes([flags]) + piece(small) + edges + nodes
    out["partition"] = b"[" + json.dumps(partition(), indent=1).encode()
    out["bad_partition"] = b'[{"format": "gls-partition", "whole": {"part": {}}}'
    return out


# ---- text ---------------------------------------------------------------------------------------


def text_imports() -> Dict[str, bytes]:
    plain = bytes(15)  # all options at their defaults
    edges = b"0 1\n1 2\n# a remark\n2 0\n"
    dense = bytes([0, 0, 1, 0]) + bytes(6 + 6)
    with_columns = bytes([0, 0, 1, 0]) + bytes([2, 0, 1, 0, 1, 2, 1, 1, 0])
    latin_strings = bytes([2, 0, 1, 0]) + bytes([0, 0, 2 + 3 * 2 + 12, 0, 0, 0]) + bytes(6)
    utf16 = bytes([0, 0, 1, 0]) + bytes([0, 0, 3 * 3, 0, 0, 0]) + bytes(6)
    listed = bytes([2, 0, 0, 1]) + bytes([2, 0, 2, 0, 0, 0]) + bytes([0, 0, 2, 0, 0, 0])
    return {
        "blanks": plain + edges,
        "dense": dense + edges,
        "integers": bytes([1, 0, 1, 0]) + bytes(12) + b"10\t-7\n9223372036854775807\t10\n",
        "strings": bytes([2, 0, 1, 0]) + bytes(12) + b'ann,"b ""o"" b"\nbob,ann\n',
        "header": with_columns + bytes(6) + b"a,b,c\n0,1,0.5\n1,0,1e3\n",
        "listed": listed + piece(b"bob\nann\n") + b"ann,bob\n",
        "gzip": dense + gzip.compress(edges, mtime=0),
        "torn_gzip": dense + gzip.compress(edges, mtime=0)[:-6],
        "damaged": dense + b'0 1\n1 "2\n',
        "latin_ragged": latin_strings + "caf\u00e9,b\nb,c,d\n".encode("latin-1"),
        "utf16": utf16 + edges.decode().encode("utf-16-be"),
        "utf16_mark": dense + edges.decode().encode("utf-16"),
        "old_line_ends": dense + b"0 1\r1 2\r2 0\r",
        "carriage": dense + b"0 1\r\n1 2\r\n\r\n2 0",
        "large": dense + b"0 70368744177663\n",
    }


# ---- Arrow streams -------------------------------------------------------------------------------

# As fuzz_arrow.cc numbers formats: int64, text, bool, and lists of two float32.
INT64, TEXT, BOOL, PAIRS, FLOAT32 = 0, 7, 6, 13, 3
PLAIN = bytes(4)  # from row 0 on, as many rows as wanted, no nulls, no validity
COMPLETE = bytes(2)  # no buffer is missing


def arrow_numbers(values: bytes) -> bytes:
    return PLAIN + values[:24] + COMPLETE + bytes(2)


def arrow_texts(lengths: List[int], text: bytes) -> bytes:
    return PLAIN + bytes([0, *lengths]) + text[:24] + COMPLETE + bytes(2)


def arrow_pairs(values: bytes) -> bytes:
    return PLAIN + COMPLETE + arrow_numbers(values) + bytes(1)


def arrow_batch(rows: int, *fields: bytes) -> bytes:
    return bytes([rows]) + PLAIN + COMPLETE + bytes(1) + b"".join(fields) + bytes(1)


def arrow_fields(*formats: int) -> bytes:
    out = bytes([len(formats) - 1])
    for format in formats:
        # A list has one child; nothing has a dictionary.
        out += bytes([format, 0, FLOAT32, 0, 0] if format == PAIRS else [format, 0])
    return out


def arrow_streams() -> Dict[str, bytes]:
    int64 = struct.Struct("<3q").pack
    all_fields = bytes([0, 0, 1, 0])
    edges = bytes([1]) + all_fields + bytes([2])
    nodes = bytes([0]) + all_fields + bytes([1])
    by_text = bytes([0]) + bytes([1, 0, 0, 0, 0]) + bytes([1])
    ends = arrow_batch(3, arrow_numbers(int64(0, 1, 2)), arrow_numbers(int64(1, 2, 0)))
    pairs = arrow_pairs(struct.pack("<6f", 1, 2, 3, 4, 5, 6))
    masked = bytes([0, 0, 0, 1, 0, 0, 0, 0, 3, 0])  # column 0 with a mask
    return {
        "edges": edges + arrow_fields(INT64, INT64) + bytes([3]) + ends + ends,
        "integer_ids": edges + arrow_fields(INT64, INT64) + bytes([1]) + ends + ends,
        "columns": nodes
        + arrow_fields(INT64, BOOL, PAIRS)
        + bytes([3])
        + arrow_batch(3, arrow_numbers(int64(7, 8, 9)), arrow_numbers(b"\x05"), pairs),
        "text_keys": by_text
        + arrow_fields(TEXT)
        + bytes([3])
        + arrow_batch(2, arrow_texts([1, 2], b"abc")),
        "masked": bytes([0])
        + masked
        + bytes([1])
        + arrow_fields(INT64)
        + bytes([3])
        + arrow_batch(3, bytes([0, 0, 3, 2, 1, 5]) + int64(1, 2, 3) + COMPLETE + bytes(2)),
        "short": edges + arrow_fields(INT64, INT64) + bytes([3]) + ends[:40],
    }


# ---- compressed text ----------------------------------------------------------------------------


def zstd_frame(text: bytes) -> bytes:
    """A frame of zstd with one block that is not compressed."""
    size = struct.pack("<I", len(text) << 3 | 1)[:3]  # the last block, raw
    return b"\x28\xb5\x2f\xfd" + b"\x20" + bytes([len(text)]) + size + text


def compressed() -> Dict[str, bytes]:
    text = b"0 1\n1 2\n2 0\n" * 10
    packed = {
        0: gzip.compress(text, mtime=0),
        1: zstd_frame(text),
        2: bz2.compress(text),
    }
    out = {}
    for number, data in packed.items():
        name = ("gzip", "zstd", "bzip2")[number]
        options = bytes([number, 6, 1])
        out[name] = options + data
        out[f"{name}_twice"] = bytes([number, 255, 0]) + data + data
        out[f"{name}_torn"] = options + data[:-5]
        out[f"{name}_junk"] = options + data + b"junk"
    skipped = b"\x50\x2a\x4d\x18" + struct.pack("<I", 3) + b"abc"
    out["zstd_skipped"] = bytes([1, 3, 1]) + skipped + packed[1]
    repeated = b"\x28\xb5\x2f\xfd\x00\x58" + struct.pack("<I", 1000 << 3 | 3)[:3] + b"\n"
    out["zstd_repeated"] = bytes([1, 9, 9]) + repeated
    out["zstd_window"] = bytes([1, 9, 9]) + b"\x28\xb5\x2f\xfd\x00\x90\x09\x00\x000"
    return out


# ---- loaders, settings, sequences ----------------------------------------------------------------


def loader_states() -> Dict[str, bytes]:
    """States for the target's own graph; a state for another graph is refused by name."""
    state = {
        "gls_loader": 1,
        "contract": 1,
        "epoch": "3",
        "batches_done": 2,
        "seed": "7",
        "batch_size": 3,
        "shuffle": False,
        "drop_last": False,
        "num_seeds": 20,
        "seeds": "0" * 16,
        "dataset": "@",
    }

    def text(**changes: object) -> bytes:
        return json.dumps({**state, **changes}, separators=(",", ":")).encode()

    return {
        "plain": b"\0" + text(),
        "shuffled": b"\1" + text(shuffle=True),
        "trainers": bytes([0x94]) + text(batches_done=5),
        "done": b"\0" + text(batches_done=2**62),
        "epoch": b"\0" + text(epoch="18446744073709551615"),
        "bad_epoch": b"\0" + text(epoch="x"),
        "version": b"\0" + text(gls_loader=2),
        "nested": b"\0" + b"[" * 100,
        "no_text": b"\0\xff\xfe",
    }


def settings() -> Dict[str, bytes]:
    return {
        "all": b"cpu.simd=plain\ngather.streaming=on\nmemory.pool=64K\nthreads=3\nlog.level=info\n",
        "environment": b"GLS_MEMORY_POOL=1T\nGLS_CPU_SIMD=auto\nGLS_THREADS=-1\n",
        "bad": b"memory.pool=16777216T\nthreads=99999999999999999999\nno.such=1\n=\n",
    }


def sequences() -> Dict[str, bytes]:
    """The calls in the order of fuzz_capi_sequence.cc, slot 0 everywhere."""

    def ids(values: Sequence[int]) -> bytes:
        return bytes(values) + b"\0"  # writable

    context = bytes([0, 1, 0])
    builder = bytes([2, 0, 0])
    # a__e__a: 0>1, 1>2, 2>0, 0>2; both int64; no reverse
    edges = bytes([4, 0, 0, 4, 1]) + ids([0, 1, 2, 0]) + bytes([0, 1]) + ids([1, 2, 0, 2]) + b"\0"
    # node column x: role 0, 3 rows of float32, width 2
    column = bytes([7, 0, 0, 0, 0, 3, 0, 2]) + bytes(range(16)) + b"\0" + b"\0"
    build = bytes([9, 3, 0, 0])
    # fanouts 2, 2, 2 and 2, 2, 2; edge type a__e__a; hops 2; one entry; with edge ids
    sampler = bytes([11]) + bytes([3] * 6) + bytes([2, 0, 1, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0])
    sampler += bytes([1, 0, 0, 0, 0, 0, 0, 0])
    sample = bytes([13, 1, 3]) + ids([0, 1, 2]) + bytes([1, 0, 0]) + bytes([1, 0, 0, 0])
    sample += bytes([0, 1, 0, 1, 0, 0, 0, 0])
    loader = bytes([14, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    take = bytes([15, 0, 0, 0])
    made = context + builder + edges + column + build
    return {
        "sample": made + sampler + sample + bytes([20, 0, 0, 0, 1, 0, 0]),
        "load": made + sampler + loader + take * 4 + bytes([19, 0, 0, 0]) + take,
        "cancel": made
        + sampler
        + loader
        + take
        + bytes([18, 0, 0])
        + take
        + bytes([18, 0, 99, 1])
        + take,
        "release_early": made
        + bytes([23, 0, 0, 23, 2, 0])
        + sampler
        + loader
        + bytes([23, 3, 0])
        + take * 2,
        "no_context": builder + edges + build,
        "legacy": made + bytes([21, 0, 0, 0, 0, 0, 1, 0, 0]) + bytes([22, 0, 1, 22, 0, 0]),
    }


def sampler_options() -> Dict[str, bytes]:
    """Each sampling method with plain options, then numbers for requests and loaders."""
    kinds = ["neighbors", "walks", "importance", "ppr", "hgt"]
    ways = {
        # Weights, excluded edges and other subgraphs: 3 switches each on.
        "": [0, 0, 0, 0, 0],
        "_weighted": [3, 0, 0, 0, 0],
        "_excluded": [0, 3, 0, 1, 2, 5, 9, 0, 0, 0, 1, 0],
        "_induced": [0, 0, 0, 0, 3, 1],
    }
    out = {}
    for kind, name in enumerate(kinds):
        for number, (way, chosen) in enumerate(ways.items()):
            start = bytes([kind, 0, 1, 7, number % 2, *chosen])
            rest = bytes((i * i * 37 + i * 11 + number) % 200 for i in range(400))
            out[name + way] = start + rest
    # Neighbours of two hops. All bytes before the last are plain; the last one switches supervisions on. Then for two
    # supervisions: given, type, named, role, and a limit; and their number.
    plain = [0, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 1, *[0, 2] * 4, 0, 1, 0, 0, 0, 0, 3]
    supervisions = {
        "edges": [0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
        "capped": [0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 1, 3, 1],
        "given": [1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1],
        "given_and_edges": [1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 3, 1],
    }
    for number, (name, chosen) in enumerate(supervisions.items()):
        rest = bytes(
            (i * i * 37 + i * 11 + number) % 200 // 4 * 4 for i in range(600)
        )  # no rare values
        out["anchors_" + name] = bytes([*plain, *chosen, 0]) + rest
    return out


# ---- messages from feeds -------------------------------------------------------------------------


def described(
    *, version: int = 2, flags: int = 0, counts: int = 3, offset: int = 0, edge_rows: int = 2
) -> bytes:
    """A batch of the target's graph, with its block; see docs/decisions/0032-feeds.md."""
    arrays = [
        # array, dtype code, bits, shape, name, values
        (0, 0, 64, [4], b"", struct.pack("<4q", 5, 6, 7, 8)),  # nodes
        (5, 0, 64, [3], b"", struct.pack("<3q", 1, 2, 1)),
        (7, 0, 64, [1], b"", struct.pack("<q", 0)),
        (32, 0, 64, [edge_rows, 3], b"", struct.pack("<6q", 1, 2, 3, 0, 0, 1)),  # edges
        (6, 0, 64, [2], b"", struct.pack("<2q", 2, 1)),
        (8, 0, 64, [1], b"", struct.pack("<q", 5)),
        (23, 2, 32, [2, 2], b"more", struct.pack("<4f", 1, 2, 3, 4)),
    ]
    head = struct.pack("<IHBB4Q6I", 0x42534C47, version, 0, flags, 3, 1, 10, 20, 2, 0, 0, 0, 7, 0)
    records = b""
    block = b"\0" * 512
    for array, code, bits, shape, name, values in arrays:
        at = offset or len(block)
        dims = struct.pack(f"<{len(shape)}q", *shape)
        padded = name + b"\0" * (-len(name) % 8)
        records += struct.pack("<HHBBBBIIQ", array, len(name), code, bits, len(shape), 0, 0, 0, at)
        records += dims + padded
        block += values + b"\0" * (-len(values) % 64)
    description = head + records
    if counts < 3:  # one array less than the count
        description = description[: -(24 + 16 + 8)]
    return b"\3" + struct.pack("<H", len(description)) + description + block


def feeds() -> Dict[str, bytes]:
    column = {"name": "x", "role": 0, "code": 2, "bits": 32, "shape": [0, 3]}
    state = {
        "gls_loader": 1,
        "contract": 1,
        "epoch": "0",
        "batches_done": 0,
        "seed": "7",
        "batch_size": 3,
        "shuffle": False,
        "drop_last": False,
        "num_seeds": 20,
        "node_type": "0" * 16,
        "seeds": "0" * 16,
        "dataset": "0" * 16,
    }
    greeting = {
        "node_types": [{"name": "node", "columns": [column]}],
        "edge_types": [{"name": "node__to__node", "source": 0, "target": 0, "columns": []}],
        "num_planned": 20,
        "batch_size": 3,
        "drop_last": 0,
        "even": 0,
        "num_seeds": 20,
        "pad_nodes": [64],
        "pad_edges": [64],
        "state": json.dumps(state),
    }
    return {
        "round": bytes([0, 2, 1]),
        "greeting": b"\1" + json.dumps(greeting).encode(),
        "greeting_shape": b"\1" + json.dumps(greeting).encode().replace(b"[0, 3]", b"[0, -3]"),
        "greeting_type": b"\1"
        + json.dumps(greeting).encode().replace(b'"target": 0', b'"target": 9'),
        "greeting_size": b"\1" + json.dumps(greeting).encode().replace(b"[64]", b"[]"),
        "error": b"\2" + struct.pack("<q", -9) + b"something\0file\0x.npy\0type",
        "no_error": b"\2" + struct.pack("<q", 7),
        "batch": described(),
        "batch_version": described(version=1),
        "batch_edges": described(edge_rows=1),
        "batch_links": described(flags=1),
        "batch_walks": described(flags=6),
        "batch_short": described(counts=2),
        "batch_outside": described(offset=1 << 40),
        "batch_unaligned": described(offset=513),
    }


def net_frames() -> Dict[str, bytes]:
    preamble = b"GLSN\x01\0\r\n"
    frames = struct.pack("<HBBBB", 300, 3, 1, 2, 0) + struct.pack("<HBBBB", 20000, 4, 9, 3, 1)
    return {
        "preamble": b"\0" + preamble + bytes(24),
        "tls": b"\0\x16\x03\x01\x02\0\x01\0\x01",
        "http": b"\0GET / HTTP/1.1\r\n",
        "frames": b"\x01\x40" + frames,
        "frames_byte_by_byte": b"\x01\0" + frames,
        "control": b"\x02" + struct.pack("<I4s", 12, b"GLSC") + bytes(32),
        "hello": b"\x03\0\x04name\x03tcp" + bytes([255, 255, 0, 0, 9, 255, 255, 0, 0, 99]),
        "failure": b"\x03\x01" + piece(b"no such node") + b"\x20\0\x05",
        "goodbye": b"\x03\x02" + piece(b"enough") + struct.pack("<Q", 7),
        "lane": b"\x03\x03" + piece(b"address of a lane"),
        "lane_changed": b"\x03\x03" + piece(bytes(range(40))) + b"\x20\0\x05\x10\0\x08",
        "lane_empty": b"\x03\x03" + piece(b""),
    }


def net_ports() -> Dict[str, bytes]:
    inbound, outbound, greet, friend = b"\x01", b"\0", b"\x01", b"\x01"
    last = b"\xff"  # of each step: the number of bytes that arrive at once

    def request(kind: int, number: int, size: int) -> bytes:
        return struct.pack("<BBBH", 2, kind - 1, number, size) + last

    work, send = b"\x08" + last, struct.pack("<BH", 9, 60000) + last
    call = struct.pack("<BHBB", 6, 100, 1, 50) + last
    up = greet + friend + b"\xff"
    served = b"".join(request(kind, kind, 100) + work for kind in (1, 2, 3, 4, 5))
    return {
        "served": inbound + up + served + send + b"\x0a" + last + send,
        "too_many": inbound + up + b"".join(request(3, i, 10) for i in range(6)),
        "called": outbound + up + call * 3 + send + b"\x03\x01\0\0" + struct.pack("<H", 50) + last,
        "canceled": outbound + up + call + b"\x07\0" + last + send,
        "later": outbound + up + call + (b"\x0b\x01\x40\0" + last) * 8,
        "drained": inbound
        + up
        + request(1, 1, 50)
        + b"\x0b\0\0\0"
        + last
        + work
        + send
        + b"\x05"
        + last
        + send,
        "refused": inbound + greet + b"\0\xff" + send,
        "garbage": inbound + b"\0" + b"\0" + piece(b"GET / HTTP/1.1") + last,
        **net_lanes(),
    }


def net_lanes() -> Dict[str, bytes]:
    """The connections of net_ports() with a data channel beside them; its events are steps, too."""
    last = b"\xff"
    up = b"\x01\x01\xff"  # a valid greeting
    joined = up + b"\x01"

    def on_lane(what: int, *values: int) -> bytes:
        return bytes([15, what, *values]) + last

    def request(kind: int, number: int, size: int) -> bytes:
        return on_lane(1, kind - 1, number, size, 0)

    work, arrive, give_back = b"\x08" + last, on_lane(5, 0), on_lane(6, 0)
    call = struct.pack("<BHBB", 6, 100, 1, 50) + last
    send = struct.pack("<BH", 9, 60000) + last
    # 300 bytes in pieces of 100, a key of 5 bytes, a deadline
    read = struct.pack("<BHB3BB", 12, 300, 4, 1, 2, 3, 20) + last
    goodbye = b"\x05\x01" + last
    drain, done = b"\x0b\0\0\0" + last, b"\x0d\1" + last
    served = b"".join(request(kind, kind, 100) + arrive + work for kind in (1, 2, 3, 4, 5))
    answers = b"".join(on_lane(3, i, 40, 0) + arrive for i in range(3))
    return {
        "lane_served": b"\x03" + joined + served + give_back * 3 + send,
        "lane_called": b"\x02" + joined + call * 3 + give_back * 3 + answers,
        "lane_read": b"\x06" + joined + read * 3 + b"".join(on_lane(7, 0, i) for i in range(3)),
        "lane_read_late": b"\x06" + joined + read + b"\x0b\x01\x46\0" + last + on_lane(7, 0, 0),
        "lane_drained": b"\x03"
        + joined
        + request(1, 1, 9)
        + arrive
        + work
        + give_back * 2
        + drain
        + goodbye
        + done
        + send * 2
        + on_lane(9),
        "lane_broken": b"\x07" + joined + call + read + request(3, 1, 9) + on_lane(8, 0),
        "lane_closed": b"\x02" + joined + call + on_lane(8, 0) + on_lane(9),
        "lane_by_hand": b"\x03" + up + b"\0\x0e\x05there" + last + on_lane(4) + b"\x0d\0" + last,
        "lane_canceled": b"\x03"
        + joined
        + b"\x04\x01\x09"
        + last
        + request(1, 9, 4)
        + arrive
        + work,
        "lane_refused": b"\xff" + up,
        "lane_not_joined": b"\x02" + up + b"\0" + request(1, 1, 9),
    }


def ucx_pieces() -> Dict[str, bytes]:
    play, address = b"\0", b"\x0f"

    def begin(size: int, more: int = 0, wanted: int = 1) -> bytes:  # in pieces of 4096 and more
        return struct.pack("<BHHB", 0, size, more, wanted)

    def send(message: int, piece: int, closes: int = 0) -> bytes:
        return bytes([1, message, piece, closes])

    def small(value: int) -> bytes:
        return bytes([1, value])

    def pages(count: int) -> bytes:
        return bytes([2, count])

    def large(value: int) -> bytes:
        return b"\0" + struct.pack("<Q", value)

    def anything(
        number: int, size: bytes, piece: bytes, at: bytes, rest: bytes = b"\2\1\1"
    ) -> bytes:
        return b"\5\0" + bytes([number]) + size + piece + at + rest

    three = begin(10000)
    return {
        "in_order": play + three + send(0, 0) * 3,
        "in_disorder": play
        + three
        + begin(9000)
        + send(0, 2)
        + send(1, 1)
        + send(0, 0) * 2
        + send(1, 0) * 2,
        "whole": play
        + begin(0)
        + begin(100)
        + begin(5000, 2000)
        + send(0, 0)
        + send(1, 0)
        + send(2, 0),
        "unwanted": play + begin(10000, 0, 0) + send(0, 1) * 3,
        "twice": play + three + send(0, 1) + b"\4\0",
        "closes": play + three + send(0, 0, 255),
        "many": play + begin(9000) * 40 + b"".join(send(i, 0) for i in range(40)) * 3,
        "any_pieces": play
        + anything(1, pages(3), pages(1), pages(2))
        + anything(1, pages(3), pages(1), pages(0))
        + anything(1, pages(3), pages(1), pages(1)),
        "another_size": play
        + anything(1, pages(3), pages(1), pages(0))
        + anything(1, pages(4), pages(1), pages(3)),
        "odd_place": play + anything(1, pages(3), pages(1), small(1), b"\1" + pages(1) + b"\1\1"),
        "longer_piece": play + anything(1, pages(2), pages(1), pages(1), b"\2\0\0\x20\1"),
        "endless": play + anything(1, large(2**64 - 1), pages(1), large(2**64 - 4096)),
        "no_piece": play + anything(1, pages(2), small(0), small(0)),
        "spoiled": play + three + send(0, 0) + b"\5\1\0" + pages(1) + b"\2\1\1" + send(0, 0) * 2,
        "address": address + bytes(range(40)),
        "address_short": address + bytes(16),
    }


def ofi_packets() -> Dict[str, bytes]:
    message_kind, offer_kind, go, unwanted, credit, memory, key, no_key = range(1, 9)

    def play(in_order: int = 1, piece: int = 0) -> bytes:
        return b"\0" + bytes([in_order]) + struct.pack("<I", piece)[:3] + b"\0\0"

    def number(value: int) -> bytes:
        return bytes([1, value]) if value < 256 else b"\0\0" + struct.pack("<Q", value)

    def packet(kind: int, which: int = 0, size: int = 0, tag: int = 0, given: int = 0) -> bytes:
        head = bytes([1, kind, 1, 0]) + number(which) + number(size) + number(tag)
        return head + b"\5\1\0" + (b"\0" + struct.pack("<H", given) if given else b"\1")

    def message(size: int, what: int = 3, wanted: int = 1) -> bytes:
        return struct.pack("<BHBB", 2, size, what, wanted)

    def offer(size: int, what: int = 3, wanted: int = 1) -> bytes:  # too long for a packet
        return struct.pack("<BHBB", 3, size, what, wanted)

    def offer_here(size: int) -> bytes:
        return struct.pack("<BH", 7, size)

    def answer(wanted: int, which: int, tag: int = 9) -> bytes:
        return struct.pack("<BBBI", 8, wanted, which, tag)

    await_it, comes, goes, say, ask = b"\5", b"\6\0", b"\x09", b"\x0a", b"\x0b\3"
    token = struct.pack("<QQ", 0x1122334455667788, 0x99AABBCCDDEEFF00)
    head = struct.pack("<IIQQQQ", credit, 0, 0, 0, 0, 0) + bytes(24)
    return {
        "messages": play() + message(0) + message(100) + message(16304) + message(5, 1, 0),
        "offers": play() + offer(40000) + offer(1, 4) + await_it * 2 + say + (b"\6\1" + comes) * 4,
        "offers_together": play(0, 9000) + (offer(60000) + await_it) * 3 + (comes + b"\6\2") * 9,
        "offers_unwanted": play() + offer(100, 3, 0) * 40 + say,
        "offers_too_many": play() + offer(1, 1, 0) * 257,
        "offered": play() + offer_here(50000) * 2 + answer(1, 0) + answer(0, 1) + goes * 5,
        "offered_gone": play() + offer_here(9) + answer(1, 0) + goes + answer(1, 1),
        "offered_twice": play() + offer_here(9) + answer(1, 0) * 2 + goes * 4,
        "offered_not": play() + answer(1, 0),
        "keys": play() + ask + packet(key, 3, 0, 300) + ask + packet(memory, 1) + say,
        "keys_refused": play() + ask + packet(no_key, 3) + packet(key, 3),
        "keys_of_nothing": play() + packet(memory, 2**40),
        "credits": play()
        + packet(memory, 0) * 40
        + say
        + bytes([1, credit, 0, 32, 0, 0, 0])
        + bytes(9),
        "tag_of_packets": play() + offer_here(9) + packet(go, 1),
        "offer_small": play() + packet(offer_kind, 7, 100),
        "offer_endless": play() + packet(offer_kind, 7, 2**63),
        "offer_twice": play() + packet(offer_kind, 7, 20000) * 2,
        "message_longer": play() + packet(message_kind, 0, 9, 0, 300),
        "bytes_of_nothing": play() + packet(unwanted, 0, 0, 0, 300),
        "kind": play() + packet(9),
        "stranger": play() + b"\0" + piece(bytes(80)) + b"\0" + piece(b"short") + message(5),
        "raw": play() + b"\0" + piece(token + head) + message(5),
        "raw_long": play() + b"\0" + piece(token + head + bytes(17000)) + message(5),
        "lost": play() + bytes([1, credit, 1, 255]) + bytes(12),
        "address": b"\6" + token + struct.pack("<IIQ64s", 1, 3, 16384, b"net") + bytes(16),
        "address_short": b"\6" + token,
        "address_changed": b"\7\x1e\0\x1f\0",
        "address_provider": b"\7\x20\n",
    }


def inboxes() -> Dict[str, bytes]:
    call, last = b"\0", b"\4\0"  # the oldest is removed

    def sent(count: int) -> bytes:  # valid
        return bytes([1, count - 1])

    def take(count: int) -> bytes:
        return bytes([2, count])

    def send(files: Sequence[int], secret: bytes = b"\2", caller: int = 0) -> bytes:
        count = bytes([1, len(files)]) if len(files) < 4 else bytes([0, len(files)])
        return bytes([5, caller]) + secret + count + bytes(files)

    wrong, short, long, none = b"\0\x1f\1", b"\1\x1f", b"\1\x28", b"\1\0"
    return {
        "one": sent(1) + take(1),
        "many": sent(255) + take(255),
        "too_few": sent(3) + take(4) + take(3),
        "nobody": take(0) + take(1),
        "by_hand": call + send([0, 1, 2]) + send([3, 4]) + take(5),
        "no_files": call + send([3, 4, 5]) + call + send([6, 7, 8], caller=1) + take(3) * 2,
        "wrong_first": call + send([0], wrong) + sent(1) + take(1),
        "wrong_second": call + send([0]) + send([1], wrong) + take(2) + sent(2) + take(2),
        "lengths": (call + send([1], short) + send([1], long, 1) + send([1], none, 2)) * 3
        + take(1),
        "nothing_in_it": call + send([]) + send([1]) + take(1),
        "more_than_asked": call + send([0, 1]) + take(1),
        "packet_too_full": call + send([i % 9 for i in range(200)]) + take(200),
        "packet_full": call + send([i % 9 for i in range(128)]) + take(128),
        "gone": call + send([1, 2]) + last + take(2),
        "callers": call * 12 + b"".join(send([i % 9], caller=i) for i in range(12)) + take(1) * 12,
        "after_it_was_taken": call + send([1]) + take(1) + send([1]) + take(1),
    }


def table_requests() -> Dict[str, bytes]:
    hold, make, read, write, step, loaded, state, drop, wait, withdraw, load = range(11)

    def ask(
        what: int,
        ids: int = 3,
        rank: int = 0,
        world: int = 1,
        number: int = 1,
        token: int = 1,
        array: int = 0,
        form: bytes = b"",
        name: int = 0,
        counts: bool = False,
        change: bytes = b"",
    ) -> bytes:
        head = bytes([1, 1, what, 1, name, array, rank, world - 1, 1, number, token])
        each = bytes([ids]) + b"\1\1" * ids + bytes([1, counts, 1])
        return head + form + each + (b"\0" + change if change else b"\1")

    def made(optimizer: int, mean: int = 0, steps: int = 0, dtype: int = 0) -> bytes:
        return ask(make, ids=0, form=bytes([1, dtype, 1, 2, optimizer, mean, steps, 2]))

    one = made(3) + ask(write) + ask(step) + ask(wait) + ask(read)
    two = (
        made(2, mean=1)
        + ask(step, rank=0, world=2, counts=True)
        + ask(wait, rank=0, world=2)
        + ask(state)
        + ask(step, rank=1, world=2, token=2, counts=True)
        + ask(read, array=1)
    )
    out = {
        "one": one,
        "two": two,
        "row_steps": made(3, steps=1)
        + ask(step)
        + ask(step, number=2, token=2)
        + ask(read, array=3),
        "no_optimizer": made(0, dtype=2) + ask(write) + ask(read) + ask(step),
        "withdrawn": made(1) + ask(step, world=3) + ask(wait, world=3) + ask(withdraw, world=3),
        "loads": made(1) + ask(step, world=2) + ask(load) + ask(loaded) + ask(wait) + ask(step),
        "dropped": made(1) + ask(step, world=2) + ask(wait, world=2) + ask(drop) + ask(read) + one,
        "attached": ask(make, form=b"\0") + made(1) + ask(make, form=b"\0") + ask(hold),
        "changed": made(1)
        + ask(write, change=b"\0\x20\0\x07")
        + ask(step, change=b"\1\x60\0\1\x70\0\xff"),
    }
    out = {name: b"\1" + data for name, data in out.items()}
    out["raw"] = b"\0" + struct.pack("<II", 16, 0) + b"\x0c\0\0\0GLSP" * 3
    return out


def cluster_requests() -> Dict[str, bytes]:
    raw, answer, changed, changed_answer, hop, rows, batches = range(7)
    describe, array, opened, a_hop, a_row = range(5)
    windows = 7

    def ids(*values: int) -> bytes:
        return bytes([len(values), *values])

    def sampler(
        flags: int, weight: bool = False, time: bool = False, exclude: bytes = b"\0"
    ) -> bytes:
        # part, seed, two hops, fanouts of one type
        head = bytes([1, 0, 5, 1, 1, 4, 3, flags, 0])
        return head + bytes([0 if weight else 1, 0 if time else 1, 1, 0, 0]) + exclude

    def question(
        hop: int, part: int, trees: bool = False, times: bool = False, exclude: bytes = b"\0"
    ) -> bytes:
        nodes = [v for v in range(16) if (v % 3 != 0) == part]
        return (
            bytes([1, hop, 1, 2])
            + ids(*nodes)
            + (b"\1" if trees else b"\0\0")
            + bytes([30, times])
            + exclude
        )

    out = {"describe": bytes([changed, describe])}
    for name, file in {"book": b"\1\0", "part": b"\0" + piece(b"part-0/manifest.json")}.items():
        out[f"array_{name}"] = bytes([changed, array]) + file + b"\0\0\x10\0"
    pairs = b"\1" + ids(1, 2, 3, 4) + b"\1\1"
    some = b"\2" + ids(1, 2, 9) + b"\0\1" + ids(7) + b"\0\1"
    kinds = {
        "plain": (sampler(1), {}),
        "narrow": (sampler(5), {}),
        "weighted": (sampler(1, weight=True), {}),
        "out": (sampler(33), {}),
        "layer": (sampler(65), {}),
        "timed": (sampler(3, time=True), {"trees": True, "times": True}),
        "excluded": (sampler(1, exclude=some), {"exclude": pairs}),
        "excluded_out": (sampler(33, exclude=pairs), {"exclude": some}),
    }
    for name, (options, given) in kinds.items():
        for part in range(2):
            head = bytes([hop, 0, 1, part]) + options[2:] + b"\1"
            out[f"hop_{name}_{part}"] = (
                head + question(0, part, **given) + question(1, part, **given)
            )
    out["open_changed"] = bytes([changed, opened]) + sampler(1) + b"\x48\0\x7f\x50\0\1"
    out["hop_changed"] = bytes([changed, a_hop, 9]) + question(0, 1) + b"\x20\0\xff"
    for column in range(4):
        for dtype in range(3):
            nodes = bytes([1, 1, 0]) + ids(1, 2, 4, 5) + bytes([column, dtype])
            out[f"rows_{column}_{dtype}"] = bytes([rows, 0]) + nodes
    out["rows_changed"] = bytes([changed, a_row, 1, 1, 0]) + ids(1, 2) + b"\0\0\x40\0\x05"
    for kind in (describe, array, opened, a_hop, a_row):
        out[f"raw_{kind}"] = bytes([raw, kind]) + struct.pack("<II", 16, 0) + b"\x0c\0\0\0GLSP" * 3
    out["answer_described"] = bytes([changed_answer, describe]) + b"\x30\0\x07"
    out["windows"] = bytes([changed, windows, 1])
    out["windows_changed"] = bytes([changed, windows, 1]) + b"\x28\0\x07"
    for at in (0x20, 0x40, 0x60, 0x80):
        out[f"answer_windows_{at}"] = bytes([changed_answer, windows, 1, at, 0, 0xFF])
    out["answer_array"] = bytes([changed_answer, array]) + b"\1\0\0\0\x10\0" + b"\x20\0\xff"
    out["answer_opened"] = bytes([changed_answer, opened]) + sampler(1) + b"\x18\0\x03"
    out["answer_rows"] = (
        bytes([changed_answer, a_row, 1, 1, 0]) + ids(1, 2) + b"\0\0" + b"\x20\0\x04"
    )
    out["answer_hop"] = (
        bytes([hop, 0, 1, 0]) + sampler(1)[2:] + b"\0" + question(0, 0) + b"\x38\0\xee\x48\0\1"
    )

    def small(value: int) -> bytes:
        return bytes([1, value])

    # Of one edge type; seeds, no links, negatives or induced subgraph.
    batches_of = bytes([batches, 0]) + sampler(1) + ids(1, 2, 4, 5, 7) + b"\1" + b"\1\1\1"
    hgt = b"\3" + small(1) + b"\0" + b"\1" + small(4) + small(3) + small(4)
    for name, options in {
        "neighbors": b"\7",
        "walks": b"\0" + small(1) + b"\1" + small(4) + small(2) + b"\1\1\1",
        "importance": b"\1" + small(1) + b"\1" + small(3) + small(3) + small(2) + small(1),
        "ppr": b"\2" + small(1) + b"\0" + small(5) + b"\1\1\0" + small(30) + small(3) + b"\2\1\1",
        "hgt": hgt,
    }.items():
        tail = small(3) + b"\1\0\1\0" + b"\2" + b"\x28\0\x07"
        out[f"batches_{name}"] = batches_of + options + tail
    out["answer"] = bytes([answer, 0]) + struct.pack("<II", 16, 0) + b"\x0c\0\0\0GLSP" * 3
    return out


def group_messages() -> Dict[str, bytes]:
    raw, made = b"\0", b"\1"
    join, operation, function, members, items, failure, reply = (bytes([i]) for i in range(7))

    def text(data: bytes) -> bytes:
        return bytes([len(data)]) + data + b"\1"

    member = text(b"worker 1") + text(b"host") + text(b"127.0.0.1:9000") + struct.pack("<Q", 77)
    whole = {
        "join": join + b"\1" + text(b"group") + b"\1\2" + member + struct.pack("<q", 30000),
        "barrier": operation + struct.pack("<QBH", 3, 0, 1000) + piece(b""),
        "gather": operation + struct.pack("<QBH", 4, 1, 0) + piece(b"what this one gives"),
        "function": function + text(b"sum") + b"\1\0" + piece(b"arguments"),
        "members": members + b"\2" + member * 2,
        "items": items + b"\3" + piece(b"one") + piece(b"") + piece(b"three"),
        "failure": failure + b"\4" + text(b"refused"),
        "reply": reply + piece(b"answer"),
    }
    out = {name: made + data for name, data in whole.items()}
    for name, at in {"join": 0x40, "gather": 0x24, "members": 0x38, "items": 0x28}.items():
        out[f"{name}_changed"] = made + whole[name] + bytes([at, 0, 0x07, 8, 0, 0xFF])
    # An item that is longer than the rest, and a name with unprintable characters.
    out["items_long"] = made + items + b"\1" + piece(b"x" * 8) + bytes([0x28, 0, 0xFF])
    out["function_control"] = made + function + text(b"a\nb\x7f\0") + b"\0\0" + piece(b"")
    head = struct.pack("<QII", 24, 16, 0) + b"\x0c\0\0\0GLSG" * 3
    out["raw"] = raw + head
    out["raw_unaligned"] = b"\6" + head
    out["raw_reply"] = raw + bytes(64) + b"answer"
    out["raw_failure"] = raw + b"\1" + bytes(63) + head
    return out


def main() -> None:
    targets = {
        "npy_header": npy_header(),
        "owners": owners(),
        "manifest": manifests(),
        "text_import": text_imports(),
        "arrow": arrow_streams(),
        "decompressor": compressed(),
        "loader_state": loader_states(),
        "settings": settings(),
        "feed": feeds(),
        "net_frame": net_frames(),
        "net_port": net_ports(),
        "ucx_piece": ucx_pieces(),
        "ofi_packet": ofi_packets(),
        "inbox": inboxes(),
        "cluster_request": cluster_requests(),
        "table_request": table_requests(),
        "group_message": group_messages(),
        "capi_sequence": sequences(),
        "sampler_options": sampler_options(),
    }
    for target, seeds in targets.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Blocks of batches as blocks of DGL: dgl.create_block takes them as they are, and dgl.to_block makes the
same of the same edges.

    check_blocks.py [--batches N]

In an environment with gls and dgl, as scripts/peers_venv.sh makes one. Exit status 1 where they differ.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, Dict, Tuple

import dgl
import dgl.function as fn
import gls
import numpy as np
import torch

NODES, USERS, ITEMS = 2000, 700, 300
TO = ("node", "to", "node")
BUYS, BACK, KNOWS = ("user", "buys", "item"), ("item", "back", "user"), ("user", "knows", "user")

Ends = Tuple[torch.Tensor, torch.Tensor]


def one_type(rng: np.random.Generator) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("node", NODES)
    ends = rng.integers(0, NODES, 12000), rng.integers(0, NODES, 12000)
    builder.add_edges("__".join(TO), *ends)
    return builder.build(layouts=("csc", "csr"))


def several_types(rng: np.random.Generator) -> gls.Dataset:
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", USERS)
    builder.add_node_type("item", ITEMS)
    ends = rng.integers(0, USERS, 5000), rng.integers(0, ITEMS, 5000)
    builder.add_edges("__".join(BUYS), *ends)
    builder.add_edges("__".join(BACK), *ends[::-1])
    builder.add_edges("__".join(KNOWS), *rng.integers(0, USERS, (2, 4000)))
    return builder.build(layouts=("csc", "csr"))


def tensor(array: Any) -> torch.Tensor:
    return torch.from_numpy(np.array(array.numpy(), np.int64))


def sums(block: Any, states: Dict[str, torch.Tensor]) -> Dict[str, torch.Tensor]:
    """Sums of the states of sources, as a layer would take them."""
    block.srcdata["h"] = states if len(block.srctypes) > 1 else states[block.srctypes[0]]
    both = (fn.copy_u("h", "m"), fn.sum("m", "s"))
    block.multi_update_all({etype: both for etype in block.canonical_etypes}, "sum")
    return {name: block.dstnodes[name].data["s"] for name in block.dsttypes}


def check(block: Any, counts: Dict[str, int]) -> int:
    """Compares one block, of edges toward the seeds; the number of its edges."""
    edges: Dict[Tuple[str, str, str], Ends] = {}
    real: Dict[Tuple[str, str, str], Ends] = {}
    src_ids = {name: tensor(block.nodes[name].input_nodes) for name in counts}
    dst_ids = {name: tensor(block.nodes[name].output_nodes) for name in counts}
    for name, of in block.edges.items():
        triple = tuple(str(name).split("__"))
        src, dst = tensor(of.src), tensor(of.dst)
        edges[triple] = (src, dst)
        real[triple] = (src_ids[triple[0]][src], dst_ids[triple[2]][dst])
    ours = dgl.create_block(
        edges,
        num_src_nodes={name: len(ids) for name, ids in src_ids.items()},
        num_dst_nodes={name: len(ids) for name, ids in dst_ids.items()},
    )
    graph = dgl.heterograph(real, num_nodes_dict=counts)
    theirs = dgl.to_block(graph, dst_nodes=dst_ids)  # with destinations among the sources
    for name in counts:
        first = len(dst_ids[name])
        got = theirs.srcnodes[name].data[dgl.NID]
        assert ours.num_src_nodes(name) == theirs.num_src_nodes(name), name
        assert ours.num_dst_nodes(name) == theirs.num_dst_nodes(name) == first, name
        assert torch.equal(theirs.dstnodes[name].data[dgl.NID], dst_ids[name]), name
        assert torch.equal(got[:first], src_ids[name][:first]), name
        assert torch.equal(src_ids[name][:first], dst_ids[name]), name
        assert torch.equal(got.sort().values, src_ids[name].sort().values), name
    for triple in ours.canonical_etypes:
        assert ours.num_edges(triple) == theirs.num_edges(triple) == len(edges[triple][0])
        assert torch.equal(ours.in_degrees(etype=triple), theirs.in_degrees(etype=triple))
        src, dst = theirs.edges(etype=triple)
        their_src = theirs.srcnodes[triple[0]].data[dgl.NID][src]
        their_dst = theirs.dstnodes[triple[2]].data[dgl.NID][dst]
        order = theirs.edges[triple].data[dgl.EID]  # in the graph of the same edges
        assert torch.equal(their_src, real[triple][0][order])
        assert torch.equal(their_dst, real[triple][1][order])
    states = {name: torch.rand(count, 3, dtype=torch.float64) for name, count in counts.items()}
    mine = sums(ours, {name: states[name][ids] for name, ids in src_ids.items()})
    other = sums(
        theirs, {name: states[name][theirs.srcnodes[name].data[dgl.NID]] for name in counts}
    )
    for name in counts:
        torch.testing.assert_close(mine[name], other[name])
    return sum(ours.num_edges(triple) for triple in ours.canonical_etypes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=3)
    batches = parser.parse_args().batches
    rng = np.random.default_rng(3)
    torch.manual_seed(3)
    blocks = edges = 0
    for dataset, seeds, counts in (
        (one_type(rng), "node", {"node": NODES}),
        (several_types(rng), "item", {"user": USERS, "item": ITEMS}),
        (several_types(rng), "user", {"user": USERS, "item": ITEMS}),
    ):
        for int32 in (False, True):
            for replace in (False, True):
                options = {"shuffle": True, "int32": int32, "replace": replace}
                loader = gls.NeighborLoader(
                    dataset, [5, 4, 3], (seeds, None), batch_size=64, **options
                )
                for number in range(batches):
                    for block in loader.sample(0, number).blocks():
                        edges += check(block, counts)
                        blocks += 1
    print(f"{blocks} blocks with {edges} edges are those of DGL {dgl.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""That a library has code for the GPUs which are listed: check_fatbin.py LIBRARY ARCHITECTURES.

ARCHITECTURES is CMake's CUDA_ARCHITECTURES: 80-real is machine code, 90-virtual is PTX, 90 is both. What nvcc leaves in
the section .nv_fatbin is read as it lies there, since not every toolkit comes with cuobjdump: containers, and in each
entries that say what they are and for which GPU.
"""

import struct
import sys

MAGIC = b"\x50\xed\x55\xba"
KINDS = {1: "virtual", 2: "real"}


def section(data: bytes, wanted: bytes) -> bytes:
    """Of an ELF file of 64 bits, little-endian."""
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    for name, _, _, _, offset, length in headers:
        at = headers[names][4] + name
        if data[at : data.index(b"\0", at)] == wanted:
            return data[offset : offset + length]
    sys.exit(f"there is no section {wanted.decode()}")


def contents(fatbin: bytes) -> list[set[str]]:
    """For each container, such as of a file of kernels, what is in it."""
    out = []
    begin = fatbin.find(MAGIC)
    while begin >= 0:
        head, length = struct.unpack_from("<HQ", fatbin, begin + 6)
        at, end, found = begin + head, begin + head + length, set()
        while at < end:
            kind, _, entry, payload = struct.unpack_from("<HHIQ", fatbin, at)
            (gpu,) = struct.unpack_from("<I", fatbin, at + 28)
            found.add(f"{gpu}-{KINDS.get(kind, kind)}")
            at += entry + payload
        out.append(found)
        begin = fatbin.find(MAGIC, end)
    return out


def main() -> None:
    library, architectures = sys.argv[1:]
    wanted = set()
    for one in architectures.replace(";", ",").split(","):
        wanted |= {one} if "-" in one else {f"{one}-real", f"{one}-virtual"}
    with open(library, "rb") as file:
        all_of_them = [found for found in contents(section(file.read(), b".nv_fatbin")) if found]
    if not all_of_them:
        sys.exit("there is no code for any GPU")
    for found in all_of_them:
        if found != wanted:
            sys.exit(f"expected {sorted(wanted)}, found {sorted(found)}")
    print(f"{len(all_of_them)} containers of {sorted(wanted)}")


if __name__ == "__main__":
    main()

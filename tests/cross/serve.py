"""As the programs Serve of Java and serve of Rust: serves parts until its standard input ends."""

from __future__ import annotations

import json
import sys

import gls


def main() -> None:
    folder, listen, parts, *servers = sys.argv[1:]
    of = [int(part) for part in parts.split(",")]
    with gls.Server(folder, listen=listen, parts=of, servers=servers) as server:
        print(json.dumps({"address": server.address}), flush=True)
        sys.stdin.read()
        server.stop(5)


if __name__ == "__main__":
    main()

"""A process of a group whose others may be of other languages: each calls each, and prints what they
said. The launcher's environment says which process it is."""

from __future__ import annotations

import gls

LIMIT = 30


class Refused(Exception):
    pass


def main() -> None:
    with gls.Group(timeout=LIMIT) as group:

        @group.function("who")
        def who(call: gls.Call) -> bytes:
            if call.data == b"fail":
                raise Refused(f"python {group.rank} refused")
            return f"python {group.rank} heard {call.data.decode()} of {call.rank}".encode()

        group.barrier(LIMIT)
        names = group.all_gather(f"python {group.rank}".encode(), LIMIT)
        print(", ".join(name.decode() for name in names))
        for other in range(group.world_size):
            print(group.call(other, "who", f"word {group.rank}".encode(), timeout=LIMIT).decode())
            try:
                group.call(other, "who", b"fail", timeout=LIMIT)
            except gls.InvalidArgument as error:
                print(str(error).rpartition(": ")[2])
        group.barrier(LIMIT)


if __name__ == "__main__":
    main()

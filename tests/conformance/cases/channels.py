"""Cases of sample_channels.json: personalised PageRank by several pushes."""

from __future__ import annotations

from itertools import islice, permutations
from typing import Any, Optional

from cases import importance
from cases.common import ids, of
from cases.importance import SOME, USERS, adder
from cases.walks import FOLLOWS, I2U, KNOWS, TO, U2I

Json = dict[str, Any]
HAS = "item__has__tag"


def channels(*given: tuple[float, list[str]]) -> list[Json]:
    return [{"edge_types": names, "share": share} for share, names in given]


def many(count: int) -> list[Json]:
    """Channels of different lists of edge types, with equal shares."""
    lists = (names for length in (1, 2, 3) for names in permutations(KINDS, length))
    return channels(*((1 / count, list(names)) for names in islice(lists, count)))


KINDS = [U2I, FOLLOWS, I2U, KNOWS, HAS]
BOTH = channels((0.6, [U2I, I2U]), (0.4, [FOLLOWS]))
SHARING = channels((0.3, [KNOWS, U2I]), (0.5, [FOLLOWS, KNOWS]), (0.2, [I2U, U2I, KNOWS]))


def channels_file() -> Json:
    cases: list[Json] = []
    adds = adder(cases, "ppr")

    def add(
        name: str, wanted: Json, options: Optional[Json] = None, seeds: Any = None, **more: Any
    ) -> None:
        graph = more.pop("graph", "two way")
        wanted = {"neighbors": 6, "epsilon": 1e-3, **wanted}
        adds(name, graph, USERS if seeds is None else seeds, wanted, options, **more)

    for direction in ("in", "out"):
        way = {"direction": direction}
        add(f"two, {direction}", {"channels": BOTH}, way)
        add(f"two, no top-up, {direction}", {"channels": BOTH, "top_up": False}, way)
        add(f"that share types, {direction}", {"channels": SHARING, "neighbors": 9}, way)
        add(f"of items, {direction}", {"channels": SHARING}, way, [of("item", [4, 3])])
        add(f"each type alone, {direction}", {"channels": channels(
            (0.1, [FOLLOWS]), (0.2, [U2I, I2U]), (0.3, [KNOWS]), (0.4, [I2U]))}, way)  # fmt: skip
        add(f"types that leave from elsewhere, {direction}",
            {"channels": channels((0.5, [HAS]), (0.25, [U2I]), (0.25, [I2U]))}, way)  # fmt: skip
        add(f"one of one type, {direction}", {"channels": channels((1, [TO]))}, way, SOME,
            graph="mesh")  # fmt: skip
    add("as far as tags", {"channels": channels((0.5, [HAS, I2U]), (0.5, [I2U, U2I, HAS])),
                           "neighbors": 3}, {"direction": "out"}, [of("item", [4, 3])])  # fmt: skip
    add("one of several types", {"channels": channels((1, [FOLLOWS, I2U]))})
    add("more than there are", {"channels": SHARING, "neighbors": 1000, "epsilon": 1e-2})
    add("one neighbour", {"channels": SHARING, "neighbors": 1})
    add("one neighbour, equal shares", {"channels": channels((0.5, [KNOWS]), (0.5, [FOLLOWS])),
                                        "neighbors": 1})  # fmt: skip
    add("an odd number, equal shares", {"channels": channels((0.5, [KNOWS]), (0.5, [FOLLOWS])),
                                        "neighbors": 5})  # fmt: skip
    add("thirds", {"channels": channels(*((1 / 3, [name]) for name in (KNOWS, FOLLOWS, U2I))),
                   "neighbors": 7})  # fmt: skip
    add("tenths", {"channels": channels((0.1, [KNOWS]), (0.7, [FOLLOWS]), (0.2, [I2U, U2I])),
                   "neighbors": 10})  # fmt: skip
    add("a share of nearly nothing", {"channels": channels((1e-9, [KNOWS]), (1, [FOLLOWS]))})
    add("shares that are nearly 1", {"channels": channels((0.4999999, [KNOWS]), (0.5, [FOLLOWS])),
                                     "neighbors": 4})  # fmt: skip
    add("the same types in another order", {"channels": channels((0.5, [KNOWS, FOLLOWS]),
                                                                 (0.5, [FOLLOWS, KNOWS]))})  # fmt: skip
    add("coarse", {"channels": SHARING, "epsilon": 1})
    add("coarse, no top-up", {"channels": SHARING, "epsilon": 1, "top_up": False})
    add("alpha 0.1", {"channels": SHARING, "alpha": 0.1, "neighbors": 12})
    add("alpha 1", {"channels": SHARING, "alpha": 1})
    add("few edges", {"channels": SHARING, "max_edges": 9, "alpha": 0.1})
    limited = {"channels": SHARING, "row_limit": 2}
    add("row limit", limited)
    add("row limit, another batch", limited, {"seed": "5"}, epoch="1", batch="2")
    add("excluded", {"channels": SHARING}, {"exclude": [ids(U2I, list(range(0, 150, 2)))]},
        exclude=[ids(KNOWS, [1, 2, 3, 4])])  # fmt: skip
    add("among edge types", {"channels": BOTH, "edge_types": [FOLLOWS, I2U, U2I, KNOWS]})
    add("64", {"channels": many(64), "neighbors": 100}, {}, [of("user", [0])])
    add("no seeds", {"channels": BOTH}, {}, [of("user", [])])
    add("no list of seeds", {"channels": BOTH}, {}, [])
    cases[-1]["request"]["seeds"] = []

    add("65", {"channels": many(65)})
    add("no edge types", {"channels": channels((0.5, [U2I]), (0.5, []))})
    add("a type twice", {"channels": channels((1, [U2I, U2I]))})
    add("unknown type", {"channels": channels((1, [U2I, "user__likes__item"]))})
    add("not among edge types", {"channels": BOTH, "edge_types": [U2I, I2U, KNOWS]})
    add("a share of 0", {"channels": channels((1, [U2I]), (0, [KNOWS]))})
    add("a negative share", {"channels": channels((1.5, [U2I]), (-0.5, [KNOWS]))})
    add("shares of less than 1", {"channels": channels((0.5, [U2I]), (0.4, [KNOWS]))})
    add("shares of more than 1", {"channels": channels((0.5, [U2I]), (0.50001, [KNOWS]))})
    return {
        "graphs": [graph for graph in importance.made() if graph["name"] in ("mesh", "two way")],
        "cases": cases,
    }

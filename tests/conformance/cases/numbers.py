"""Cases of philox.json and pick.json: random numbers, and picks from one row."""

from __future__ import annotations

from typing import Any, Optional

Json = dict[str, Any]

BIG = 2**32
KEY = str(0x0123456789ABCDEF)


def philox_cases() -> list[Json]:
    ones = 0xFFFFFFFF
    known = [
        ([0, 0, 0, 0], [0, 0]),
        ([ones] * 4, [ones] * 2),
        ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0]),
    ]
    cases: list[Json] = [
        {
            "name": f"known answer {i}",
            "about": "an answer published with the generator",
            "kind": "philox",
            "counter": counter,
            "key": key,
        }
        for i, (counter, key) in enumerate(known)
    ]
    for seed, epoch, batch, tree in [
        (0, 0, 0, 0),
        (1, 0, 0, 0),
        (0, 1, 0, 0),
        (0, 0, 1, 0),
        (0, 0, 0, 1),
        (42, 3, 17, 1023),
        (BIG, BIG, BIG, BIG),
        (BIG + 1, 2 * BIG + 3, 5 * BIG + 7, 11 * BIG + 13),
        (2**64 - 1, 2**64 - 1, 2**64 - 1, 2**64 - 1),
    ]:
        cases.append(
            {
                "name": f"keys {seed}/{epoch}/{batch}/{tree}",
                "about": "keys of seed/epoch/batch/tree",
                "kind": "keys",
                "seed": str(seed),
                "epoch": str(epoch),
                "batch": str(batch),
                "tree": str(tree),
            }
        )
    for edge_type, hop, node, degree in [
        (0, 0, 0, 10),
        (0, 1, 0, 65536),
        (1, 0, 0, 65537),
        (3, 2, BIG - 1, 1000),
        (3, 2, BIG, 1000),
        (2**24 - 1, 254, 2**63 - 1, 2**31 + 11),
        (7, 0, 5 * BIG + 9, 2**40 + 1),
    ]:
        cases.append(
            {
                "name": f"draws type {edge_type} hop {hop} node {node} degree {degree}",
                "about": "the first words of one row, and below(j, degree)",
                "kind": "draws",
                "key": KEY,
                "edge_type": edge_type,
                "hop": hop,
                "node": str(node),
                "degree": degree,
                "count": 9,
            }
        )
    return cases


def _pick(
    name: str,
    about: str,
    fanout: int,
    replace: str,
    degree: Optional[int] = None,
    weights: Optional[list[float]] = None,
    node: int = 7,
) -> Json:
    row: Json = {"weights": weights} if weights is not None else {"degree": degree}
    place = {"key": KEY, "edge_type": 2, "hop": 1, "node": str(node)}
    return {
        "name": name,
        "about": about,
        "kind": "pick",
        **place,
        **row,
        "fanout": fanout,
        "replace": replace,
    }


def _uniform_cases() -> list[Json]:
    cases: list[Json] = []
    for fanout in list(range(1, 41)) + [64, 100]:
        for degree in (fanout + 1, 2 * fanout + 1):
            cases.append(
                _pick(
                    f"never {fanout} of {degree}",
                    "distinct picks",
                    fanout,
                    "never",
                    degree=degree,
                )
            )
    for replace in ("never", "above", "always"):
        for degree in (0, 1, 7, 8, 9):
            for fanout in (0, 1, 8, -1):
                cases.append(
                    _pick(
                        f"row of {degree}: {replace} {fanout}",
                        "around the fanout",
                        fanout,
                        replace,
                        degree=degree,
                    )
                )
        for degree in (1000, 65535, 65536, 65537, 2**32 - 1, 2**32, 2**40 + 1):
            cases.append(
                _pick(
                    f"{replace} 9 of {degree}",
                    "32-bit draws up to degree 65536, 64-bit ones beyond",
                    9,
                    replace,
                    degree=degree,
                )
            )
    return cases


def _weighted_cases() -> list[Json]:
    tiny = 5e-324
    skewed = [2.0**60] + [1.0] * 7
    rows: list[tuple[str, str, list[float], list[int]]] = [
        ("equal", "equal weights", [1.0] * 10, [0, 1, 3, 9, 10, -1]),
        ("zeros", "weight 0 is never taken", [0, 1, 0, 2, 3, 0, 4, 0], [1, 2, 3, 4, 5, -1]),
        ("all zero", "nothing can be taken", [0.0] * 5, [0, 1, 5, 9, -1]),
        ("one", "only one can be taken", [0, 0, 5, 0], [1, 2, -1]),
        ("empty", "no edges", [], [0, 3, -1]),
        ("minus zero", "-0.0 is not negative", [-0.0, 1.0, 2.0, -0.0, 0.5], [1, 2, 3]),
        ("fractions", "sums that round", [0.1, 0.2, 0.3, 0.7, 1e-9, 1e9], [1, 2, 4, 5]),
        ("powers", "doubling weights", [2.0**i for i in range(20)], [4, 8, 16, 19]),
        ("skewed", "nearly every draw is made again, from what remains", skewed, [2, 4, 7]),
        (
            "skewed last",
            "the same, the heavy one last, after zeros",
            [3.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0**50],
            [2, 3, 4],
        ),
        (
            "smallest",
            "the only positive weight is the smallest number, and has all parts",
            [0.0, tiny, 0.0],
            [1, 6],
        ),
        (
            "smallest rest",
            "weights that vanish beside another have one part each",
            [1.0, tiny, tiny, tiny, 0.0],
            [2, 3],
        ),
        ("huge but few", "the sum is infinite and not needed", [1e308, 1e308], [2, 3, -1]),
    ]
    cases: list[Json] = []
    for name, about, weights, fanouts in rows:
        for replace in ("never", "above", "always"):
            for fanout in fanouts:
                cases.append(
                    _pick(f"{name}: {replace} {fanout}", about, fanout, replace, weights=weights)
                )
    for node in (1, 2, 3, 4, 5):
        name = f"smallest rest: node {node}"
        weights = [1.0, tiny, tiny, 0.0]
        cases.append(
            _pick(
                name, "one of two that have one part each", 2, "never", weights=weights, node=node
            )
        )
    cases.append(
        _pick("infinite sum", "the sum is needed", 1, "never", weights=[1e308, 1e308, 1.0])
    )
    cases.append(_pick("negative", "an error", 1, "never", weights=[1.0, -1.0, 1.0]))
    return cases


def pick_cases() -> list[Json]:
    return _uniform_cases() + _weighted_cases()

"""Section 7 of docs/contract.md: parts for training, validation and test."""

from __future__ import annotations

from typing import Sequence

from reference.order import KeyedPermutation
from reference.philox import epoch_key

PART_DOMAIN = 3
LINK_SPLIT_DOMAIN = 4

TRAIN = "train"
VALID = "valid"
TEST = "test"


def part_of(x: int, seed: int, shares: Sequence[float]) -> int:
    sums = []
    total = 0.0
    for share in shares:
        total = total + float(share)
        sums.append(total)
    h = epoch_key(seed, x % 2**64, PART_DOMAIN)
    threshold = float(h // 2**11) * 2.0**-53 * total
    for i, c in enumerate(sums):
        if c > threshold:
            return i
    return max(i for i, share in enumerate(shares) if share > 0)


def size(given: float, of: int) -> int:
    return int(given * float(of)) if given < 1 else int(given)


def link_of_each(source: Sequence[int], target: Sequence[int], undirected: bool) -> list[int]:
    """For each edge the edge whose link it is."""
    link = list(range(len(source)))
    if undirected:
        rising: dict[tuple[int, int], list[int]] = {}
        for e, (u, v) in enumerate(zip(source, target)):
            if u <= v:
                rising.setdefault((u, v), []).append(e)
        for e, (u, v) in enumerate(zip(source, target)):
            if u > v and rising.get((v, u)):
                link[e] = rising[v, u].pop(0)
    return link


def split_links(
    source: Sequence[int],
    target: Sequence[int],
    part: str,
    seed: int = 0,
    valid: float = 0.1,
    test: float = 0.2,
    supervision: float = 0,
    undirected: bool = False,
) -> tuple[list[int], list[int]]:
    """The links of a part, and the edges not to be sampled for it."""
    link = link_of_each(source, target, undirected)
    links = [e for e, own in enumerate(link) if own == e]
    permutation = KeyedPermutation(len(links), epoch_key(seed, 0, LINK_SPLIT_DOMAIN))
    shuffled = [links[permutation(i)] for i in range(len(links))]
    num_valid, num_test = size(valid, len(links)), size(test, len(links))
    num_train = len(links) - num_valid - num_test
    num_supervision = size(supervision, num_train)
    train = shuffled[:num_train]
    labels, messages = train[:num_supervision], train[num_supervision:]
    held = {
        VALID: shuffled[num_train : num_train + num_valid],
        TEST: shuffled[num_train + num_valid :],
    }
    wanted = {TRAIN: labels or messages, **held}[part]
    hidden = {
        TRAIN: {*labels, *held[VALID], *held[TEST]},
        VALID: {*held[VALID], *held[TEST]},
        TEST: {*held[TEST]},
    }[part]
    return sorted(wanted), [e for e, own in enumerate(link) if own in hidden]

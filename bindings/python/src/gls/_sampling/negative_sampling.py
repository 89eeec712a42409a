"""NegativeSampling: what is drawn for links."""

from __future__ import annotations

from typing import NamedTuple, Optional, Union

from gls._core.check import choice, optional_text, whole_number
from gls._low import glslow as low
from gls.errors import invalid

_NEGATIVES = {"binary": 1, "triplet": 2}
_STRICT, _ALLOW_SHORT, _IN_TIME, _OLDEST = 1, 2, 4, 8


class NegativeSampling(NamedTuple):
    """What is drawn for links: nodes of their two types, from the whole graph."""

    mode: str
    """"binary": `amount` pairs of nodes per link, both ends drawn; "triplet": `amount` targets for each
    link, whose source is kept."""
    amount: float = 1
    """Per link. A whole number for triplets; rounded up over all links of a batch for pairs."""
    strict: bool = False
    """No edge of the dataset is drawn."""
    allow_short: bool = False
    """Where `tries` draws found no strict negative, there is none (-1 in triplets); else that is an
    error."""
    degree_power: float = 0
    """Nodes are drawn in proportion to their degree to this power, a multiple of 0.25 up to 2; 0:
    uniformly."""
    source_weight: Optional[str] = None
    """Or in proportion to a node column of non-negative numbers; only of pairs."""
    target_weight: Optional[str] = None
    tries: int = 64
    """Draws for each strict negative."""
    in_time: bool = False
    """Only nodes are drawn that exist at the time of their link: those whose `node_time` is at most that
    time, or below it with `time_strict`. If none exists, that is an error, unless `oldest` or
    `allow_short`."""
    oldest: bool = False
    """With `in_time`: where no node exists at the time of the link, the oldest is drawn."""


Negatives = Union[None, str, NegativeSampling]
"""Negatives for links: None, "binary", "triplet", or with more said."""


def negative_options(given: Union[str, NegativeSampling]) -> low.NegativeOptions:
    wanted = NegativeSampling(given) if isinstance(given, str) else NegativeSampling(*given)
    options = low.NegativeOptions()
    options.set_mode(choice("neg_sampling", wanted.mode, _NEGATIVES))
    options.set_flags(
        (_STRICT if wanted.strict else 0)
        | (_ALLOW_SHORT if wanted.allow_short else 0)
        | (_IN_TIME if wanted.in_time else 0)
        | (_OLDEST if wanted.oldest else 0)
    )
    amount = float(wanted.amount)
    if amount == 0:  # which the library takes for its default
        raise invalid("neg_sampling", "the amount is 0")
    options.set_amount(amount)
    options.set_degree_power(float(wanted.degree_power))
    options.set_weights(
        optional_text("source_weight", wanted.source_weight),
        optional_text("target_weight", wanted.target_weight),
    )
    options.set_tries(whole_number("tries", wanted.tries, 1, 32))
    return options

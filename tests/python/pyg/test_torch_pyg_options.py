"""Options that loaders of gls.pyg share are declared once."""

from __future__ import annotations

import inspect
from typing import Any, Type

import pytest
from test_options import declared

from gls import pyg
from gls.pyg import options

DECLARED = declared(options)
LOADERS = (pyg.NeighborLoader, pyg.LinkNeighborLoader, pyg.HGTLoader, pyg.ClusterLoader)
SAMPLERS = (pyg.GraphSAINTNodeSampler, pyg.GraphSAINTRandomWalkSampler)


@pytest.mark.parametrize("name", DECLARED)
def test_each_option_has_a_type_and_a_default(name: str) -> None:
    kind, defaults = DECLARED[name]
    assert set(kind.__annotations__) == set(defaults)


@pytest.mark.parametrize("loader", LOADERS + SAMPLERS, ids=lambda loader: loader.__name__)
def test_signatures_have_the_options_of_all_loaders(loader: Type[Any]) -> None:
    parameters = inspect.signature(loader).parameters
    assert {"batch_size", "shuffle", *options.LOADER_DEFAULTS} <= set(parameters)
    assert all(one.kind is not one.VAR_KEYWORD for one in parameters.values())
    with pytest.raises(TypeError, match="unexpected keyword argument 'batchsize'"):
        loader(None, None, batchsize=5)

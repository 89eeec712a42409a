"""All contestants, in the order of the tables."""

from __future__ import annotations

from typing import List

import numpy as np

from contestant import Contestant, Options
from dgl_methods import dgl_methods
from gather_adapter import Copy, GlsGather, IndexSelect
from glt_adapter import GltSampler
from gls_adapter import GlsLoader, GlsSampler
from gls_methods import gls_methods
from graphbolt_adapter import GraphBoltLoader, GraphBoltSampler
from pyg_adapter import PygLibSampler, PygLoader, TorchSparseSampler
from pyg_methods import pyg_methods
from typed_loaders import typed_loaders


def all_contestants(options: Options) -> List[Contestant]:
    samplers: List[Contestant] = []
    for dtype in (np.int64, np.int32):
        samplers += [PygLibSampler(options, dtype, ids) for ids in (False, True)]
    samplers.append(TorchSparseSampler(options))
    for dtype in (np.int64, np.int32):
        samplers += [GraphBoltSampler(options, dtype, ids) for ids in (False, True)]
    samplers += [GltSampler(options, False), GltSampler(options, True)]
    for dtype in (np.int64, np.int32):
        samplers += [GlsSampler(options, dtype, ids) for ids in (False, True)]
    samplers += [GlsSampler(options, np.int32, False, simd) for simd in ("avx2", "plain")]

    loaders: List[Contestant] = []
    for workers in (0, 1, 2):
        loaders += [
            PygLoader(options, workers, "pyg-lib"),
            PygLoader(options, workers, "torch-sparse"),
            GraphBoltLoader(options, workers, np.int64),
            GraphBoltLoader(options, workers, np.int32),
        ]
        if workers > 0:
            loaders.append(GlsLoader(options, workers))
    loaders += typed_loaders(options)

    gathers: List[Contestant] = []
    for wide in (False, True):
        gathers += [IndexSelect(options, wide, pooled) for pooled in (False, True)]
        gathers += [Copy(options, wide), GlsGather(options, wide)]
    ways = gls_methods(options) + pyg_methods(options) + dgl_methods(options)
    return samplers + loaders + gathers + sorted(ways, key=lambda way: way.name.split("/")[0])

"""The few ratios of a result that answer: how much faster than its peers is GLS?

sampler  each peer in its best form (without edge ids where it can do without) against GLS with the
         same width of ids, and the fastest of all against GLS's fastest; "usual" is pyg-lib with
         int64 ids, as PyG calls it, also against GLS without AVX-512
loader   edges per second, the most workers of each; the time of a batch over that of its slower
         stage, as if each stage had a core of its own ("vs_stage_bound"); and the time of the workers
         together over that of both stages on one core ("vs_stages"), which is 1 when workers do
         nothing else and do not slow each other down. Of the graphs of typed_graphs.py: gls.pyg
         against PyG ("hetero_vs_pyg") and against the loader under it ("hetero_vs_native")
methods  each way of sampling, against the fastest peer that has it
gather   bytes per second, narrow rows (those of x.npy) and rows of 4 KB
"""

from __future__ import annotations

from typing import Any, Dict, List

PEERS = {
    "pyg_lib": "pyg-lib-",
    "torch_sparse": "torch-sparse-",
    "graphbolt": "graphbolt-",
    "glt": "glt-",
}


def brief(result: Dict[str, Any]) -> Dict[str, Any]:
    rounded = BRIEFS[result["level"]](result["ratios"], result["contestants"])
    return {name: float(f"{value:.4g}") for name, value in rounded.items()}


def _sampler(ratios: Dict[str, Dict[str, float]], _: Dict[str, Any]) -> Dict[str, float]:
    out: Dict[str, float] = {}
    peers = [name for name in ratios if not name.startswith("gls")]
    for own in ("gls-int32", "gls-int64"):
        if own not in ratios or not peers:
            continue
        width = "" if own == "gls-int32" else "_int64"
        allowed = [name for name in peers if width == "" or "int32" not in name]
        for short, prefix in PEERS.items():
            forms = [name for name in allowed if name.startswith(prefix)]
            if forms:
                out[f"vs_{short}{width}"] = min(ratios[own][name] for name in forms)
        if "pyg-lib-int64" in ratios:
            out[f"vs_pyg_lib_usual{width}"] = ratios[own]["pyg-lib-int64"]
        out[f"vs_fastest_peer{width}"] = min(ratios[own][name] for name in allowed)
    for simd in ("avx2", "plain"):
        if "pyg-lib-int64" in ratios and f"gls-int32-{simd}" in ratios:
            out[f"vs_pyg_lib_usual_{simd}"] = ratios[f"gls-int32-{simd}"]["pyg-lib-int64"]
    return out


def _most_workers(names: List[str]) -> List[str]:
    most = max(name[-1] for name in names)
    return [name for name in names if name[-1] == most]


def _by_graph(ratios: Dict[str, Dict[str, float]]) -> Dict[str, float]:
    out: Dict[str, float] = {}
    for graph in [name.split("/")[0] for name in ratios if name.endswith("/gls.pyg")]:
        own = ratios[f"{graph}/gls.pyg"]
        peers = [own[name] for name in own if name.startswith(f"{graph}/pyg-")]
        if peers:
            out[f"{graph}_vs_pyg"] = min(peers)
        if f"{graph}/gls" in own:
            out[f"{graph}_vs_native"] = own[f"{graph}/gls"]
    return out


def _loader(ratios: Dict[str, Dict[str, float]], of: Dict[str, Any]) -> Dict[str, float]:
    out = _by_graph(ratios)
    own = [name for name in ratios if name.startswith("gls-loader")]
    if not own:
        return out
    best = _most_workers(own)[0]
    for short, prefix in {"pyg": "pyg-loader", "graphbolt": "graphbolt-loader"}.items():
        for workers in ("0", "1", "2"):
            forms = [n for n in ratios if n.startswith(prefix) and n.endswith(f"-w{workers}")]
            # A peer without workers works in the caller's process: one core, as with one worker.
            mine = f"gls-loader-w{max(1, int(workers))}"
            if forms and mine in ratios:
                out[f"vs_{short}_w{workers}"] = min(ratios[mine][name] for name in forms)
        forms = [name for name in ratios if name.startswith(prefix)]
        if forms:
            out[f"vs_{short}"] = min(ratios[best][name] for name in forms)
    alone = of.get("gls-loader-w1")
    if alone:
        stage = max(alone["sample_ms"], alone["gather_ms"])
        batch_ms = 1000 / of[best]["batches_per_s"]
        out["vs_stage_bound"] = batch_ms / stage
        stages = alone["sample_ms"] + alone["gather_ms"]
        out["vs_stages"] = int(best[-1]) * batch_ms / stages
    return out


def _gather(ratios: Dict[str, Dict[str, float]], _: Dict[str, Any]) -> Dict[str, float]:
    out: Dict[str, float] = {}
    for row, suffix in (("x", ""), ("4096B", "_4096")):
        own = ratios.get(f"gls-gather-{row}", {})
        for name, key in (
            (f"memcpy-{row}", "vs_memcpy"),
            (f"index-select-{row}", "vs_torch"),
            (f"index-select-{row}-out", "vs_torch_out"),
        ):
            if name in own:
                out[key + suffix] = own[name]
    return out


def _methods(ratios: Dict[str, Dict[str, float]], _: Dict[str, Any]) -> Dict[str, float]:
    out: Dict[str, float] = {}
    for way in [name.split("/")[0] for name in ratios if name.endswith("/gls")]:
        peers = [
            name for name in ratios if name.startswith(f"{way}/") and not name.endswith("/gls")
        ]
        if peers:
            out[way] = min(ratios[f"{way}/gls"][name] for name in peers)
    return out


BRIEFS = {"sampler": _sampler, "methods": _methods, "loader": _loader, "gather": _gather}

"""Ranks are those of torch.distributed, once it is initialised; and processes of a machine train on a device of their
own each, of the plugin that needs no GPU (on one: test_torch_gpu.py)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch_ddp
from gpu import plugin

import gls


def test_trainers_share_an_epoch(graph: Any, tmp_path: Path) -> None:
    worker = Path(__file__).parents[1].joinpath("torch_worker.py")
    children = [
        subprocess.Popen(
            [sys.executable, str(worker), str(rank), "2", str(tmp_path / "rendezvous")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    outputs = [json.loads(child.communicate(timeout=120)[0]) for child in children]
    assert [child.returncode for child in children] == [0, 0]
    loader = gls.NeighborLoader(graph.build(), [3], "train", batch_size=8, shuffle=True)
    whole = [[batch.number, batch.node.tolist()] for batch in loader]
    for output in outputs:
        assert output["batches"] == whole[output["rank"] :: 2]
        assert output["all"] == len(whole)


def test_ddp_on_a_device_for_each_process(tmp_path: Path) -> None:
    with plugin():
        assert torch_ddp.train("emulated", 2, tmp_path) == [["cuda:0"], ["cuda:1"]]

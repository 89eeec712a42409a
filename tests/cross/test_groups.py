"""One group of processes in Python, Java and Rust, which call functions of each other.

The programs are named by GLS_TALK_JAVA and GLS_TALK_RUST (scripts/cross.sh sets them).
"""

from __future__ import annotations

import itertools
import os
import secrets
import shlex
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Dict, List, Sequence

import pytest
from ports import free_port

LANGUAGES = ("python", "java", "rust")


def program(language: str) -> List[str]:
    if language == "python":
        return [sys.executable, str(Path(__file__).parent / "talk.py")]
    return shlex.split(os.environ[f"GLS_TALK_{language.upper()}"])


def environment(count: int) -> Dict[str, str]:
    """As torchrun gives it, but for the rank."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "OMPI_", "PMI"))}
    kept.update(WORLD_SIZE=str(count), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
    return {**kept, "GLS_NET_KEY": secrets.token_hex(32)}


@pytest.mark.parametrize("order", list(itertools.permutations(LANGUAGES)))
def test_languages_talk_to_each_other(order: Sequence[str]) -> None:
    shared = environment(len(order))
    with ExitStack() as stack:
        children = []
        for rank, language in enumerate(order):
            child = subprocess.Popen(
                program(language),
                env={**shared, "RANK": str(rank)},
                stdout=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(child)
            stack.callback(child.kill)
            children.append(child)
        for rank, child in enumerate(children):
            out, _ = child.communicate(timeout=120)
            expected = [", ".join(f"{name} {number}" for number, name in enumerate(order))]
            for number, name in enumerate(order):
                expected.append(f"{name} {number} heard word {rank} of {rank}")
                expected.append(f"{name} {number} refused")
            assert out.splitlines() == expected, order[rank]
            assert child.returncode == 0, order[rank]

"""The tutorials do one job in five languages: they see and print the same.

The programs are named by GLS_TUTORIAL_C, _CPP, _JAVA and _RUST (scripts/cross.sh sets them).
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

TUTORIAL = Path(__file__).resolve().parents[2] / "examples" / "tutorial"


# An error names the argument as the language does: that of the id set, then that of the seeds.
ARGUMENTS = {
    "c": ("id_set", "seeds"),
    "cpp": ("id_set", "seeds"),
    "rust": ("id_set", "seeds"),
    "java": ("seeds", "seeds"),
    "python": ("input_nodes", "input_nodes"),
}


def programs() -> Dict[str, List[str]]:
    out = {"python": [sys.executable, str(TUTORIAL / "python" / "tutorial.py")]}
    for language in ("c", "cpp", "java", "rust"):
        out[language] = shlex.split(os.environ[f"GLS_TUTORIAL_{language.upper()}"])
    return out


def test_the_same_lines(tmp_path: Path) -> None:
    lines = {}
    for language, program in programs().items():
        command = [*program, str(TUTORIAL / "ratings.csv"), str(tmp_path / language)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, f"{language}: {run.stderr}"
        lines[language] = run.stdout.splitlines()
        assert lines[language][-1].startswith("digest "), language
    for language, printed in lines.items():
        expected = list(lines["c"])
        for i, (argument, own) in enumerate(zip(ARGUMENTS["c"], ARGUMENTS[language])):
            status, named, rest = expected[i].split(": ", 2)
            assert status.startswith("GLS_ERR_") and named == argument
            expected[i] = f"{status}: {own}: {rest}"
        assert printed == expected, language

"""Runs the gls command named by the environment variable GLS_TOOL."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, List, Optional

import numpy as np
import pytest

TIMEOUT = 60


class Tool:
    """Calls the command in a folder of its own."""

    def __init__(self, path: str, folder: Path):
        self.path = path
        self.folder = folder

    def command(self, *arguments: object) -> List[str]:
        return [self.path, *(str(argument) for argument in arguments)]

    def run(
        self, *arguments: object, code: int = 0, **options: Any
    ) -> "subprocess.CompletedProcess[str]":
        """Runs to the end and checks the exit code."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            **options,
        )
        said = f"{done.args}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == code, said
        return done

    def json(self, *arguments: object, code: int = 0) -> Any:
        """The document that --json prints: all of standard output."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)

    def error(self, *arguments: object, code: int = 1) -> str:
        """The one line on standard error of a run that fails, without its prefix."""
        done = self.run(*arguments, code=code)
        lines = done.stderr.splitlines()
        assert len(lines) == 1 and lines[0].startswith("gls: "), done.stderr
        assert done.stdout == ""
        return lines[0][len("gls: ") :]

    def save(self, name: str, array: Any, dtype: Optional[Any] = None) -> str:
        """Saves a .npy file in the folder; its name."""
        np.save(self.folder / name, np.ascontiguousarray(array, dtype=dtype))
        return name

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name


@pytest.fixture(name="gls")
def gls_fixture(tmp_path: Path) -> Tool:
    return Tool(os.path.abspath(os.environ["GLS_TOOL"]), tmp_path)

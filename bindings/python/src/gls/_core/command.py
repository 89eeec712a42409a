"""The gls command, as the package carries it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program beside the library; returns only when there is none."""
    program = Path(__file__).parents[1] / "_low" / "gls"
    if not program.exists():
        sys.exit("this package uses an installed libgls and carries no gls command: use that one's")
    os.execv(program, ["gls", *sys.argv[1:]])

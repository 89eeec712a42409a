"""Warnings that name the line of the program, not of this package."""

from __future__ import annotations

import sys
import warnings


def warn(message: str) -> None:
    """Warns at the first caller outside of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("gls."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)

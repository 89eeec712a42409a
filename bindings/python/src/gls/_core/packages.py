"""Packages that not every program needs, imported where they are needed."""

from __future__ import annotations

import importlib
from typing import Any

# What a program imports, to what it is called and what installs it.
_PACKAGES = {
    "numpy": ("NumPy", "numpy"),
    "torch": ("PyTorch", "torch"),
    "torch_geometric": ("PyG", "torch-geometric"),
    "dgl": ("DGL", "dgl"),
    "dgl.graphbolt": ("GraphBolt", "dgl"),
}


def need(module: str, user: str) -> Any:
    """A module of another package.

    Args:
        user: What needs it, as the caller wrote it: "gls.pyg".

    Raises:
        ImportError: It cannot be imported; the text says what to install.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        title, package = _PACKAGES[module]
        raise ImportError(
            f"{user} needs {title}, which cannot be imported ({error}): pip install {package}",
            name=module,
        ) from error


def need_numpy(user: str) -> Any:
    """NumPy, for what shows or reads arrays of it."""
    return need("numpy", user)

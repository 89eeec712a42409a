"""Recipes without the plugin that reads them; tests/formats has it."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import gls


def test_without_the_plugin_errors_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLS_PLUGIN_PATH", "/nonexistent")
    with pytest.raises(gls.Unsupported, match="libgls_formats.so"):
        gls.Recipe("edges: {}")
    with pytest.raises(gls.Unsupported, match="libgls_formats.so"):
        gls.Recipe.of_format("pyg", Path("data.pt"), {"split": 0})


def test_arguments_are_checked_first() -> None:
    with pytest.raises(TypeError, match="text"):
        gls.Recipe(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        gls.Recipe.open("nofile.yaml")
    with pytest.raises(TypeError, match="format"):
        gls.Recipe.of_format(None, "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        pickle.dumps(gls.Recipe.__new__(gls.Recipe))

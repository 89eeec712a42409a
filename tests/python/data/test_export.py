"""Export without the plugin that writes; tests/formats has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gls
from gls._data.storage import choice_text


@pytest.fixture()
def small() -> gls.Dataset:
    return gls.Dataset.from_arrays(np.zeros((2, 3), np.int64), num_nodes=2)


def test_without_the_plugin_the_error_says_what_is_missing(
    small: gls.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLS_PLUGIN_PATH", "/nonexistent")
    with pytest.raises(gls.Unsupported, match="libgls_formats.so"):
        small.export("parquet", tmp_path / "tables", overwrite=True, compression="zstd")
    assert list(tmp_path.iterdir()) == []


def test_arguments_are_checked_first(small: gls.Dataset, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="format must be a str"):
        small.export(None, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="progress must be callable"):
        small.export("parquet", tmp_path, progress=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        small.export("parquet")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "value, words",
    [
        (True, "true"),
        (False, "false"),
        (7, "7"),
        ("a=b", "a=b"),
        (["x", "y"], "x,y"),
        ((True, 2), "true,2"),
    ],
)
def test_words_of_choices(value: object, words: str) -> None:
    assert choice_text(value) == words


def test_datasets_without_arrays_of_their_own(small: gls.Dataset, tmp_path: Path) -> None:
    small.partition(tmp_path / "parts", 2, method="hash")
    with gls.Dataset.open(tmp_path / "parts") as parts:
        with pytest.raises(gls.Unsupported):
            parts.export("parquet", tmp_path / "tables")
    store = gls.ColumnStore(name="x", fetch=lambda ids, rows: rows.fill(0))
    with pytest.raises(gls.Unsupported):
        small.with_stores(store).export("parquet", tmp_path / "tables")
    small.close()
    with pytest.raises(gls.InvalidState, match="closed"):
        small.export("parquet", tmp_path / "tables")

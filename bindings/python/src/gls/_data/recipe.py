"""Recipe: which files make a dataset."""

from __future__ import annotations

import os
from typing import Mapping, NoReturn, Optional, Type

from gls._core.check import check_process, fork_generation, not_picklable, text
from gls._core.context import Context, default_context
from gls._data.builder import DatasetBuilder
from gls._data.storage import choices_of
from gls._low import glslow as low
from gls.types import Path


class Recipe:
    """Which files make a dataset: a text in YAML, or the dataset of another system.

    Needs the plugin libgls_formats.so. Immutable; safe to use from several threads::

        gls.Recipe.of_format("graphbolt", "ogbn-products").builder().write("products")

    Args:
        text: YAML or JSON; the page "Datasets of other systems" has the keys. No data file is opened.
        folder: Names of files are relative to it.
        context: None: the default one.

    Raises:
        InvalidArgument: An unknown key or a wrong value, with line and column.
        Unsupported: The plugin is missing.
    """

    def __init__(self, text: str, folder: Path = "", *, context: Optional[Context] = None) -> None:
        used = context or default_context()
        self._take(low.Recipe.read(used._low, _checked("text", text), folder), used)

    def _take(self, handle: low.Recipe, context: Context) -> None:
        self._generation = fork_generation()
        self._handle = handle
        self._context = context

    @classmethod
    def open(cls, path: Path, *, context: Optional[Context] = None) -> "Recipe":
        """Reads a recipe file. Names of files are relative to its folder.

        Raises:
            FileNotFoundError, InvalidArgument, Unsupported
        """
        with open(path, encoding="utf-8") as file:
            return cls(file.read(), os.path.dirname(os.fspath(path)), context=context)

    @classmethod
    def of_format(
        cls: "Type[Recipe]",
        format: str,
        path: Path,
        choices: Optional[Mapping[str, object]] = None,
        *,
        context: Optional[Context] = None,
    ) -> "Recipe":
        """Makes the recipe for a dataset that another system wrote, without that system installed.

        Reads descriptions and heads of files. Neither code nor pickled objects in them are run.

        Args:
            format: "dgl", "graphbolt", ...: the page "Datasets of other systems" lists them.
            path: A file or folder, as the format documents.
            choices: Which of several, as the format documents: {"task": 0}.
            context: None: the default one.

        Raises:
            FileNotFound, InvalidArgument, CorruptData, Unsupported, IoError
        """
        given = choices_of(choices or {})
        used = context or default_context()
        made = cls.__new__(cls)
        handle = low.Recipe.of_format(used._low, _checked("format", format), path, given)
        made._take(handle, used)
        return made

    @property
    def text(self) -> str:
        """The recipe in YAML. What the files have and the dataset will not have stands in comments."""
        check_process(self._generation)
        return self._handle.text()

    def builder(self) -> DatasetBuilder:
        """A :class:`DatasetBuilder` that has everything the recipe names.

        Arrays are mapped; text and tables are read when the dataset is built or written.

        Raises:
            FileNotFound, CorruptData, Unsupported, IoError, InvalidArgument
        """
        check_process(self._generation)
        return DatasetBuilder._of(self._handle.builder(), self._context)

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Recipe", "pass its text")

    def __repr__(self) -> str:
        return f"Recipe({self.text!r})"


def _checked(name: str, value: object) -> str:
    return text(name, value)

"""DatasetBuilder: makes datasets, from arrays and from files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Optional, Sequence, Union

from gls._core.context import Context
from gls._data.builder_inputs import BuilderInputs, check_lengths
from gls._data.dataset import Dataset
from gls._data.storage import check_progress, write_options
from gls._low import glslow as low
from gls.errors import IoError
from gls.types import Path, Progress

if TYPE_CHECKING:
    import tempfile


class DatasetBuilder(BuilderInputs):
    """Collects the parts of a dataset, then makes it in memory or as a folder.

    Edge types are "source__relation__target" or (source, relation, target); the node types they
    name need no declaration. Arrays are used where they lie and must not change until the dataset
    is gone, or written; see :data:`gls.ArrayLike`. For use by one thread at a time.

    Args:
        context: None: the default one.
    """

    @classmethod
    def _of(cls, builder: low.Builder, context: Context) -> "DatasetBuilder":
        """A builder that has something already."""
        made = cls.__new__(cls)
        made._start(builder, context._low)
        return made

    def build(
        self,
        *,
        layouts: Union[str, Sequence[str]] = "csc",
        memory: int = 0,
        progress: Optional[Progress] = None,
    ) -> Dataset:
        """Makes the dataset in memory; the builder is empty afterwards.

        Args:
            layouts: "csc", "csr" or both: which directions can be sampled.
            memory: Bytes the call may use besides its input; 0: a quarter of the machine's.
            progress: See :data:`gls.Progress`.
        """
        return Dataset(self._make(layouts=layouts, memory=memory, progress=progress))

    def write(
        self,
        path: Path,
        *,
        layouts: Union[str, Sequence[str]] = "csc",
        memory: int = 0,
        overwrite: bool = False,
        row_padding: bool = True,
        progress: Optional[Progress] = None,
    ) -> None:
        """Makes a dataset folder, in bounded memory; the builder is empty afterwards.

        The folder appears complete or not at all. It is written twice where a mask was given whose
        length only edges or files can confirm; :meth:`add_node_type` with `num_nodes` saves that.

        Args:
            path: The folder.
            layouts, memory, progress: As for :meth:`build`.
            overwrite: Replaces an existing dataset atomically.
            row_padding: Pads rows of columns to cache lines.

        Raises:
            FileExists, IoError, CorruptData
        """
        options = write_options(
            layouts=layouts, memory=memory, overwrite=overwrite, row_padding=row_padding
        )
        check_progress(progress)
        with self._exclusive() as builder:
            masks = self._check_masks()
            if not masks or (os.path.lexists(path) and not overwrite):
                builder.write(path, options, progress)
                self._forget()
                return
            # What has the wrong number of nodes must not appear, nor replace what is there.
            with _folder_beside(path) as folder:
                written = os.path.join(folder, "dataset")
                builder.write(written, options, progress)
                self._forget()
                handle = low.Dataset.open(self._context, written, 0, False, None)
                check_lengths(masks, handle)
                with Dataset(handle) as dataset:
                    dataset.save(
                        path, overwrite=overwrite, row_padding=row_padding, progress=progress
                    )


def _folder_beside(path: Path) -> "tempfile.TemporaryDirectory[str]":
    """A folder of the same file system, removed at the end."""
    import tempfile

    parent, name = os.path.split(os.path.abspath(path))
    try:
        os.makedirs(parent, exist_ok=True)
        return tempfile.TemporaryDirectory(prefix=f"{name}.", suffix=".partial", dir=parent)
    except OSError as error:
        raise IoError(f"cannot write {os.fspath(path)}: {error}") from error

"""Partition: a folder of parts of a graph."""

from __future__ import annotations

from types import TracebackType
from typing import List, NoReturn, Optional, Tuple, Type

from gls._core.check import check_process, closed, fork_generation, not_picklable
from gls._core.context import Context, default_context
from gls._core.inputs import to_low
from gls._core.schema import Schema
from gls._core.tensor import Tensor
from gls._data.storage import check_progress
from gls._low import glslow as low
from gls.types import ArrayLike, EdgeType, Path, Progress


class Partition:
    """A graph divided for several machines: a folder with the parts and the book, which has the
    owner of each node.

    Made by :meth:`Dataset.partition`, opened by :meth:`open`. Safe to use from several threads.
    Part `n` is a dataset of its own, in the folder "part-n": open it with :meth:`Dataset.open`. If
    there is only one node or edge type, its name may be omitted everywhere.
    """

    def __init__(self, handle: low.Partition) -> None:
        """Not for users: see open()."""
        self._handle: Optional[low.Partition] = handle
        self._generation = fork_generation()
        self._schema = Schema(handle)

    @classmethod
    def open(cls, path: Path, *, context: Optional[Context] = None) -> "Partition":
        """Opens a folder of parts: reads its description and maps the book. Parts are not opened.

        Args:
            path: The folder. It must not be changed while it is open.
            context: None: the default one.

        Raises:
            FileNotFound, IoError, CorruptData, Unsupported
        """
        return cls(low.Partition.open((context or default_context())._low, path))

    @property
    def _low(self) -> low.Partition:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("partition")
        return handle

    # ---- what there is ----

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return self._low.parts()

    @property
    def graph(self) -> str:
        """Names the partition, 16 hexadecimal digits. Each part has it, too."""
        return self._low.graph()

    @property
    def method(self) -> str:
        """How owners were chosen; for people."""
        return self._low.method()

    @property
    def options(self) -> str:
        """With what options the graph was cut; for people."""
        return self._low.options()

    @property
    def node_types(self) -> List[str]:
        """Names of the node types, in the order that numbers them."""
        return list(self._schema.node_types)

    @property
    def edge_types(self) -> List[Tuple[str, str, str]]:
        """As (source, relation, target)."""
        return list(self._schema.edge_tuples.values())

    def num_nodes(self, type: Optional[str] = None) -> int:
        """Number of nodes of a type in the whole; None: of the only one."""
        schema = self._schema
        return self._low.num_nodes(schema.node_types[schema.node_type(type)])

    def num_edges(self, type: Optional[EdgeType] = None) -> int:
        """Number of edges of a type in the whole; None: of the only one."""
        schema = self._schema
        return self._low.num_edges(schema.edge_types[schema.edge_type(type)])

    def owners(self, ids: ArrayLike, type: Optional[str] = None) -> Tensor:
        """The part that owns each of some nodes: int32 [ids].

        Args:
            ids: [ids] ids of the whole.
            type: None: the only node type.
        """
        joined = self._schema.node_type(type)
        return Tensor(self._low.owners(joined, to_low(ids, "ids", vector=True)))

    # ---- long calls ----

    def verify(self, *, progress: Optional[Progress] = None) -> None:
        """Reads everything and checks that parts are sound and make up the whole; stops at the first
        fault.

        Raises:
            CorruptData: Naming file, type and id.
        """
        self._low.verify(check_progress(progress))

    def merge(
        self, path: Path, *, overwrite: bool = False, progress: Optional[Progress] = None
    ) -> None:
        """Writes the whole graph again: the folder that :meth:`Dataset.save` would have written,
        byte for byte. It appears complete or not at all.

        Args:
            path: The folder.
            overwrite: Replaces an existing dataset atomically.
            progress: See :data:`gls.Progress`.

        Raises:
            FileExists, IoError
            CorruptData: The parts do not make up the whole graph.
        """
        self._low.merge(path, bool(overwrite), check_progress(progress))

    def close(self) -> None:
        """Lets go of the partition. Arrays made from it stay usable."""
        self._handle = None

    def __enter__(self) -> "Partition":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Partition", "open() it in each process")

    def __repr__(self) -> str:
        if self._handle is None:
            return "gls.Partition(closed)"
        nodes = ", ".join(f"{name}: {self.num_nodes(name)}" for name in self._schema.node_types)
        edges = ", ".join(f"{name}: {self.num_edges(name)}" for name in self._schema.edge_types)
        return f"gls.Partition(parts={self.parts}, nodes={{{nodes}}}, edges={{{edges}}})"

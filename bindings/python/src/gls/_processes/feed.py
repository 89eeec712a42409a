"""Sampling in processes of its own: feeds, and loaders that are attached to them."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from types import TracebackType
from typing import Any, Callable, List, NamedTuple, NoReturn, Optional, Sequence, Type, Union

from gls._batch.array_numbers import INPUT
from gls._batch.batch import Batch
from gls._core.calls import deadline, to_milliseconds, wait_in_slices
from gls._core.check import check_process, closed, fork_generation, not_picklable, whole_number
from gls._core.context import Context, default_context
from gls._core.schema import Schema
from gls._core.trainer import trainer
from gls._data.dataset import Dataset
from gls._loading.loader import Loader
from gls._low import glslow as low
from gls.errors import InvalidState, NotFound, TimedOut, Unsupported, invalid
from gls.types import Path

_LOOK_S = 0.01


class FeedInfo(NamedTuple):
    """What a feed has done so far."""

    consumers: int
    """Trainers that are attached now."""
    attached: int
    """Since it was made."""
    lost: int
    """Of these, gone without closing their loader, as when killed."""
    batches: int
    """Sent."""
    batch_bytes: int
    used_bytes: int
    """Shared memory that batches use now."""
    wait_ns: int
    """Summed over trainers: a batch was sampled, but there was no room for it."""
    copied_bytes: int
    """Of `batch_bytes`: arrays that were copied into shared memory. Columns are gathered directly
    into it, unless servers make the batches or the loader has a transform."""


class Feed:
    """Serves the batches of a loader to trainers in other processes of this machine.

    Trainers call :func:`attach`, and get the batches that a loader of their rank would give them.
    Each trainer has its own shared memory, in which batches are written once and read in place. The
    feed serves from its creation, on threads of the library; the process only has to keep running,
    as with :meth:`serve`. Use it in a ``with`` statement.

    Args:
        loader: Any loader of this process that was made for one trainer. Its position does not
            matter. Its `num_workers` and `prefetch_bytes` apply to each trainer.
        path: Path of the socket. A socket that a killed process left is replaced.
        consumers: Trainers at one time.
        bytes: Shared memory of each trainer; None: 256 MiB.
        prefetch: Batches ready for each trainer, at most; None: as set in the loader.
        mode: Permissions of the socket: every process that may open it may attach.

    Raises:
        AlreadyExists: Another feed serves at this path.
    """

    def __init__(
        self,
        loader: Loader,
        path: Path,
        *,
        consumers: int = 1,
        bytes: Optional[int] = None,
        prefetch: Optional[int] = None,
        mode: int = 0o600,
    ) -> None:
        if not isinstance(loader, Loader):
            raise TypeError(f"loader must be a loader, not {type(loader).__name__}")
        self._generation = fork_generation()
        self._loader = loader  # its transform is needed
        self._path = os.fspath(path)
        self._handle: Optional[low.Feed] = low.Feed(
            loader._low,
            path,
            whole_number("consumers", consumers, 1, 32),
            whole_number("mode", mode, 1, 32),
            0 if bytes is None else whole_number("bytes", bytes, 1, 64),
            0 if prefetch is None else whole_number("prefetch", prefetch, 1, 32),
        )

    @property
    def _low(self) -> low.Feed:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("feed")
        return handle

    @property
    def path(self) -> str:
        """Of the socket."""
        return str(self._path)

    @property
    def info(self) -> FeedInfo:
        """What it has done so far."""
        info = self._low.info()
        return FeedInfo(*(getattr(info, name) for name in FeedInfo._fields))

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until trainers were attached and none is any more; False when the time, in seconds,
        has passed. None, and ``math.inf``: without limit.

        Raises:
            InvalidArgument: `timeout` is negative.
        """
        return wait_in_slices(lambda wait_ms: self._low.is_over(wait_ms), timeout)

    def serve(self) -> None:
        """Returns when trainers were attached and none is any more; Ctrl-C ends it, too."""
        self.wait()

    def close(self) -> None:
        """Ends it. Trainers get :class:`IoError` for batches that they do not have yet."""
        self._handle = None

    def __enter__(self) -> "Feed":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Feed", "make it in the process that samples")


class AttachedLoader(Loader):
    """A loader whose batches other processes make; see :func:`attach`.

    It is iterated, resumed and closed as :class:`NeighborLoader` is. Arrays cannot be written. When a
    feed is gone, batches that have arrived still come, then :class:`IoError` is raised: attach again, and
    load the state. Batches by number, norms and plans are for the process that
    has the graph.
    """

    def __init__(self, handle: low.Loader) -> None:
        """Not for users: call :func:`attach`."""
        self._generation = fork_generation()
        self._lock = threading.RLock()
        self._schema = Schema(handle.dataset())
        self._input_type: Optional[str] = None
        self._walk_types = None
        self._transformer = None
        self._padded = _is_padded(handle, self._schema)
        self._start(handle)

    def _batch(self, handle: low.Batch) -> Batch:
        batch = Batch(handle, self._schema, self._input_type, None)
        if self._input_type is None:
            types = [type for kind, type, _, _ in batch._content.arrays() if kind == INPUT]
            self._input_type = types[0] if len(types) == 1 else None
            batch = Batch(handle, self._schema, self._input_type, None)
        return batch

    @property
    def dataset(self) -> Dataset:
        """Not here: the graph is in the process that samples."""
        raise Unsupported("the graph of an attached loader is in another process")

    def __reduce__(self) -> NoReturn:
        raise not_picklable("AttachedLoader", "pickle state_dict(), and attach there")


def _is_padded(handle: low.Loader, schema: Schema) -> bool:
    try:
        for name in schema.node_types:
            handle.pad_size(name)
    except NotFound:
        return False
    return bool(schema.node_types)


def attach(
    path: Union[Path, Sequence[Path]],
    *,
    rank: Optional[int] = None,
    world_size: Optional[int] = None,
    timeout: float = 10,
    stall: float = 10,
    context: Optional[Context] = None,
    pin: Optional[int] = None,
) -> AttachedLoader:
    """A loader whose batches are made by a :class:`Feed` in another process, or by several that share
    the work.

    Args:
        path: Of the feed's socket, or of several feeds whose loaders have equal options. The
            batches and their order are those of one loader.
        rank: Which trainer this is. None: from torch.distributed, if that is initialised, else 0.
        world_size: How many trainers share each epoch. None: from torch.distributed or the feed.
        timeout: How many seconds to wait until the feed exists.
        stall: How many seconds to wait for a batch when this trainer's memory is full of batches
            that the program holds. Then :class:`OutOfMemory` is raised.
        context: None: the default one.
        pin: Number of a GPU by which the shared memory is pinned, so that copies of batches to GPUs are
            asynchronous: `batch.x.torch().to("cuda", non_blocking=True)`. Such a copy reads the memory
            until it is done: say `batch.record_stream(torch.cuda.current_stream())` behind it, or keep
            the batch until then, or a later batch is written over it. All of the memory is taken at
            once. None: it is not pinned.

    Raises:
        TimedOut: No feed was there in time.
        AlreadyExists: A trainer of this rank is attached.
        Unsupported: The memory cannot be pinned.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise invalid("path", "needs at least one feed")
    if rank is None:
        rank, found = trainer(None, None)
        world_size = world_size if world_size is not None or found == 1 else found
    attachment = low.Attachment()
    for one in paths:
        attachment.add_path(one)
    attachment.set_trainer(
        whole_number("rank", rank, 0, 32),
        0 if world_size is None else whole_number("world_size", world_size, 1, 32),
    )
    stall_ms = to_milliseconds(stall, "stall")
    longest_ms = (1 << 32) - 1
    attachment.set_stall_ms(longest_ms if stall_ms < 0 else max(1, min(stall_ms, longest_ms)))
    if pin is not None:
        attachment.set_pin(whole_number("pin", pin, 0, 31))
    chosen = default_context() if context is None else context
    attachment.set_timeout_ms(to_milliseconds(timeout))
    return AttachedLoader(attachment.attach(chosen._low))


class SamplingProcesses:
    """Starts processes that sample, each with a loader and a :class:`Feed` of its own.

    ::

        def make_loader():
            return gls.NeighborLoader(gls.Dataset.open("cora"), [10, 10], "train", shuffle=True)

        if __name__ == "__main__":
            with gls.SamplingProcesses(make_loader, count=2) as sampling:
                for batch in sampling.attach():
                    ...

    The processes end with the ``with`` statement, and when this process ends, however it does.

    Args:
        make_loader: Called without arguments in each of the processes, which are started anew ("spawn"):
            a function of a module, or whatever else can be pickled. It must make like loaders.
        count: Of processes.
        consumers: Trainers at one time; they attach to :attr:`paths`.
        bytes, prefetch: See :class:`Feed`; `bytes` is for each trainer, in each process.
    """

    def __init__(
        self,
        make_loader: Callable[[], Loader],
        count: int = 1,
        *,
        consumers: int = 1,
        bytes: Optional[int] = None,
        prefetch: Optional[int] = None,
    ) -> None:
        import multiprocessing
        import tempfile

        spawn = multiprocessing.get_context("spawn")
        self._folder: Optional[str] = tempfile.mkdtemp(prefix="gls-feeds-")
        self._paths = [
            os.path.join(self._folder, f"{i}.sock")
            for i in range(whole_number("count", count, 1, 16))
        ]
        self._processes: List[Any] = []
        try:
            for path in self._paths:
                arguments = (make_loader, path, consumers, bytes, prefetch)
                process = spawn.Process(target=_sample, args=arguments, daemon=True)
                process.start()
                self._processes.append(process)
        except BaseException:
            self.close()
            raise

    @property
    def paths(self) -> List[str]:
        """Of the feeds' sockets, for :func:`attach` in any process."""
        return list(self._paths)

    @property
    def pids(self) -> List[int]:
        """Of the processes."""
        return [process.pid for process in self._processes]

    def attach(
        self,
        *,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
        timeout: float = 60,
        stall: float = 10,
        context: Optional[Context] = None,
        pin: Optional[int] = None,
    ) -> AttachedLoader:
        """:func:`attach` to all of them. Waits until their loaders are made.

        Raises:
            InvalidState: One of the processes has ended.
        """
        end = deadline(timeout)
        while not all(os.path.exists(path) for path in self._paths):
            for index, process in enumerate(self._processes):
                if process.exitcode is not None:
                    raise InvalidState(
                        f"sampling process {index} has ended with exit code {process.exitcode}"
                    )
            if end is not None and time.monotonic() >= end:
                raise TimedOut(f"the sampling processes were not ready after {timeout} s")
            time.sleep(_LOOK_S)
        left = math.inf if end is None else max(end - time.monotonic(), 1.0)
        return attach(
            self._paths,
            rank=rank,
            world_size=world_size,
            timeout=left,
            stall=stall,
            context=context,
            pin=pin,
        )

    def close(self) -> None:
        """Ends the processes."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(10)
            if process.exitcode is None:
                process.kill()
                process.join(10)
        self._processes = []
        if self._folder is not None:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __enter__(self) -> "SamplingProcesses":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("SamplingProcesses", "pickle its paths")


def _sample(
    make_loader: Callable[[], Loader],
    path: str,
    consumers: int,
    bytes: Optional[int],
    prefetch: Optional[int],
) -> None:
    """What a sampling process does, until the one that started it ends or tells it to."""
    import multiprocessing
    from multiprocessing.connection import wait

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which ends this one
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    parent = multiprocessing.parent_process()
    assert parent is not None
    with Feed(make_loader(), path, consumers=consumers, bytes=bytes, prefetch=prefetch):
        wait([parent.sentinel])
    try:
        os.rmdir(os.path.dirname(path))  # by the last of them, if the parent was killed
    except OSError:
        pass

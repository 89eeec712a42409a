"""Group: processes that were started together."""

from __future__ import annotations

from types import TracebackType
from typing import Callable, List, NamedTuple, NoReturn, Optional, Sequence, Type, overload

from gls._core.calls import (
    Future,
    begin_call,
    finished,
    to_milliseconds,
    to_payload,
)
from gls._core.check import (
    check_process,
    choice,
    closed,
    fork_generation,
    not_picklable,
    optional_text,
    text,
    whole_number,
)
from gls._core.context import Context, default_context
from gls._data.storage import check_progress
from gls._low import glslow as low
from gls._processes.functions import Function, Functions, threads_of
from gls.errors import invalid
from gls.types import BytesLike, Progress

Exchange = Callable[[bytes], Sequence[bytes]]
"""Given the bytes of this process, returns those of all, by rank."""

_LAUNCHERS = {"auto": 0, "arguments": 1, "torchrun": 2, "openmpi": 3, "slurm": 4, "pmix": 5}


class Member(NamedTuple):
    """A process of a group."""

    rank: int
    name: str
    """In errors and logs."""
    host: str
    address: str
    """Where it can be called: "host:port"."""
    process: int
    """Its id on that host."""


class Group:
    """Membership of this process in a group of processes that were started together.

    Making it joins the group, and waits until all processes have joined. torchrun, Open MPI, Slurm
    or PMIx set rank, world size and the address of rank 0, or you pass them as arguments. Without
    any of these the process is alone, in a group of one. The settings ``net.*`` of the context
    configure how connections are protected, as for :class:`Server`. Use it in a ``with``
    statement::

        with gls.Group() as group:
            group.function("hello", lambda call: b"hello " + call.data)
            group.barrier()
            group.call(0, "hello", b"world")

    Barriers and all-gathers are for one thread at a time; all other calls are for any number.

    Args:
        name: Of the group, the same in all its processes; one process may be in several groups.
        rank: Of this process, from 0. Needs `world_size`.
        world_size: Number of processes. None: the launcher sets it, and the rank.
        launcher: "auto", "arguments", "torchrun", "openmpi", "slurm" or "pmix".
        rendezvous: Where rank 0 listens and the others connect, "host:port". None: from the
            environment (``GLS_MASTER_ADDR``, ``GLS_MASTER_PORT``, then the launcher).
        listen: Where to listen. None: rank 0 at `rendezvous`, others on "127.0.0.1:0"; on several
            machines set "0.0.0.0:0" or one interface.
        process_name: Name of this process in errors and logs of the others.
        num_threads: Threads that run functions in this process. None: as many as the context has.
        exchange: Sends the address of rank 0 to all processes, instead of `rendezvous`: a function
            of bytes that returns the bytes of all processes by rank, as ``comm.allgather`` of
            mpi4py. Needs `rank` and `world_size`.
        timeout: How many seconds to wait for all to join. None: without limit. With 0, only a group
            of one process can be joined.
        progress: See :data:`gls.Progress`.
        context: Whose settings and log it has. None: the default one.

    Raises:
        TimedOut: Not all processes joined; the message names the missing ones.
        AlreadyExists: Another process has this rank, or the address is taken.
        NotFound: The launcher has not set a required variable.
        InvalidArgument: Nothing protects connections; the others have another group or world size.
    """

    def __init__(
        self,
        name: str = "gls",
        *,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
        launcher: str = "auto",
        rendezvous: Optional[str] = None,
        listen: Optional[str] = None,
        process_name: Optional[str] = None,
        num_threads: Optional[int] = None,
        exchange: Optional[Exchange] = None,
        timeout: Optional[float] = 120,
        progress: Optional[Progress] = None,
        context: Optional[Context] = None,
    ) -> None:
        options = low.GroupOptions()
        options.set_name(text("name", name))
        options.set_launcher(choice("launcher", launcher, _LAUNCHERS))
        if (rank is None) != (world_size is None):
            raise invalid("rank", "rank and world_size go together")
        if rank is not None:
            options.set_place(
                whole_number("rank", rank, 0, 32), whole_number("world_size", world_size, 1, 32)
            )
        elif exchange is not None:
            raise invalid("exchange", "needs rank and world_size")
        if exchange is not None and not callable(exchange):
            raise TypeError(f"exchange must be callable, not {type(exchange).__name__}")
        for set_text, argument, value in (
            (options.set_rendezvous, "rendezvous", rendezvous),
            (options.set_listen, "listen", listen),
            (options.set_process_name, "process_name", process_name),
        ):
            if optional_text(argument, value) is not None:
                set_text(str(value))
        options.set_num_threads(1)  # of the library, which only hand over
        options.set_timeout(to_milliseconds(timeout))
        chosen = default_context() if context is None else context
        self._threads = (
            threads_of(chosen)
            if num_threads is None
            else whole_number("num_threads", num_threads, 1, 32)
        )
        self._generation = fork_generation()
        self._functions: Optional[Functions] = None
        self._handle: Optional[low.Group] = None
        handle = options.join(chosen._low, exchange, check_progress(progress))
        self._handle = handle
        info = handle.info()
        self._place = handle.name(), info.rank, info.world_size
        self._launcher = info.launcher

    @property
    def _low(self) -> low.Group:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("group")
        return handle

    # ---- the processes ----

    @property
    def name(self) -> str:
        """Of the group."""
        return self._place[0]

    @property
    def rank(self) -> int:
        """Of this process."""
        return self._place[1]

    @property
    def world_size(self) -> int:
        """How many processes there are."""
        return self._place[2]

    @property
    def local_rank(self) -> int:
        """Of this process among those on this host."""
        return self._low.info().local_rank

    @property
    def local_size(self) -> int:
        """How many processes are on this host."""
        return self._low.info().local_size

    @property
    def launcher(self) -> Optional[str]:
        """The launcher that set rank and world size; None: none, because the process is alone."""
        names = {number: name for name, number in _LAUNCHERS.items() if number != 0}
        return names.get(self._launcher)

    @property
    def operations(self) -> int:
        """Barriers and all-gathers that succeeded in this process."""
        return self._low.info().operations

    @property
    def members(self) -> List[Member]:
        """All processes, by rank."""
        handle = self._low
        infos = [handle.member(rank) for rank in range(self.world_size)]
        return [
            Member(rank, info.name(), info.host(), info.address(), info.process())
            for rank, info in enumerate(infos)
        ]

    # ---- all together ----

    def barrier(self, timeout: Optional[float] = None) -> None:
        """Waits until all processes have reached the barrier. Ctrl-C ends the waiting.

        A barrier that timed out or was interrupted continues in the other processes; the next call
        continues it here.

        Args:
            timeout: How many seconds to wait. None: without limit.

        Raises:
            TimedOut: The message names the missing processes.
            IoError: A process is lost or has left.
            InvalidState: The others do another operation; another operation is in progress in this process.
        """
        finished(self.barrier_async(timeout))

    def barrier_async(self, timeout: Optional[float] = None) -> "Future[None]":
        """:meth:`barrier` without waiting: for ``await``, or :meth:`Future.result`."""
        return Future(self._low.barrier(to_milliseconds(timeout)), lambda future: None)

    def all_gather(self, data: BytesLike = b"", timeout: Optional[float] = None) -> List[bytes]:
        """Gives bytes of each process to all of them: those of all, by rank. They may differ in size.

        Timeouts, interruption and errors are as for :meth:`barrier`.
        """
        return finished(self.all_gather_async(data, timeout))

    def all_gather_async(
        self, data: BytesLike = b"", timeout: Optional[float] = None
    ) -> "Future[List[bytes]]":
        """:meth:`all_gather` without waiting."""
        handle = self._low
        return Future(
            handle.all_gather(to_payload("data", data), to_milliseconds(timeout)),
            lambda future: [future.item(rank).to_bytes() for rank in range(future.count())],
        )

    # ---- functions ----

    @overload
    def function(self, name: str, function: Function) -> None:
        ...

    @overload
    def function(self, name: str) -> Callable[[Function], Function]:
        ...

    def function(
        self, name: str, function: Optional[Function] = None
    ) -> Optional[Callable[[Function], Function]]:
        """Lets the other processes call a function of this one by a name; also a decorator.

        The function gets a :class:`Call`, on a thread of this package; several calls run at once.
        It returns the bytes of the answer, None for an empty answer, or a
        ``concurrent.futures.Future`` of these, which occupies no thread. An exception reaches the
        caller as an error with its text. Calls that arrive before this fail: put a barrier between
        this and the first call. The function stays until the group is closed.

        Args:
            name: 1 to 255 bytes; names that begin with "gls." are reserved for the library.
            function: None: returns a decorator.

        Raises:
            AlreadyExists: A function has this name.
            InvalidState: This process has left the group.
        """
        if function is None:

            def decorate(given: Function) -> Function:
                self.function(name, given)
                return given

            return decorate
        handle = self._low
        if self._functions is None:
            self._functions = Functions(self._threads)
        self._functions.add(name, function, handle.function)
        return None

    def call(
        self,
        rank: int,
        function: str,
        data: BytesLike = b"",
        *,
        timeout: Optional[float] = None,
        idempotent: bool = False,
    ) -> bytes:
        """Calls a function of a process of the group, also of this one, and waits for the answer. Ctrl-C
        ends the waiting.

        Args:
            rank: Process to call.
            function: Its name there.
            data: What it is given.
            timeout: How many seconds until there is an answer. None: the setting
                "cluster.request_timeout_ms"; ``math.inf``: without limit.
            idempotent: To call it twice is as good as once: it may be asked again when a connection is
                lost before the answer came.

        Raises:
            NotFound: There is no such function; the text names those there are.
            TimedOut: There is no answer in time.
            IoError: The process is lost.
            Error: What the function raised: of its own class where that is one of this package, else
                :class:`InvalidArgument`.
        """
        return finished(
            self.call_async(rank, function, data, timeout=timeout, idempotent=idempotent)
        )

    def call_async(
        self,
        rank: int,
        function: str,
        data: BytesLike = b"",
        *,
        timeout: Optional[float] = None,
        idempotent: bool = False,
    ) -> Future[bytes]:
        """:meth:`call` without waiting: for ``await``, or :meth:`Future.result`."""
        return begin_call(self._low.call, "rank", rank, function, data, timeout, idempotent)

    # ---- the end ----

    def leave(self, timeout: Optional[float] = 10) -> None:
        """Takes no more calls, lets those under way end, and leaves. Operations of the others that need
        this process end with an error that says so. A second time nothing happens.

        Args:
            timeout: How many seconds calls under way may take. None: without limit.
        """
        self._low.leave(to_milliseconds(timeout))

    def close(self) -> None:
        """Leaves at once, unless it was left: for the others this process is lost. Waits for functions
        that are running."""
        self._handle = None
        if self._functions is not None and self._generation == fork_generation():
            self._functions.close()

    def __enter__(self) -> "Group":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        """Leaves, at once if there was an exception."""
        if kind is None and self._handle is not None:
            self.leave()
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Group", "join it in each process")

    def __repr__(self) -> str:
        state = "" if self._handle is not None else ", closed"
        return f"gls.Group({self.name!r}, rank {self.rank} of {self.world_size}{state})"

"""Server: parts of a graph for other processes."""

from __future__ import annotations

import time
import weakref
from types import TracebackType
from typing import Callable, NamedTuple, NoReturn, Optional, Sequence, Tuple, Type, overload

from gls._core.check import (
    check_process,
    choice,
    closed,
    fork_generation,
    not_picklable,
    text,
    whole_number,
)
from gls._core.context import Context, default_context
from gls._data.storage import RESIDENCY, check_progress
from gls._low import glslow as low
from gls._processes.functions import Function, Functions, threads_of
from gls.types import Path, Progress

_LOOK_S = 0.1


class ServerInfo(NamedTuple):
    """What a server does at this moment, and has done so far."""

    parts: int
    """That it serves."""
    graph_parts: int
    """That the graph has."""
    clients: int
    """Connected and let in, now."""
    strangers: int
    """Connected and not let in yet."""
    accepted: int
    """Connections since it was started."""
    admitted: int
    """Of these, let in."""
    evicted: int
    """Of these, cut off as strangers because others came."""
    requests: int
    """Answered since it was started."""
    failures: int
    """Of these, by an error."""


class ServerProbe(NamedTuple):
    """What a server says of itself. See :meth:`Server.probe`."""

    name: str
    """Of the server, in errors and logs."""
    version: str
    """Of its library."""
    graph: str
    """Names the partition, 16 hexadecimal digits."""
    parts: Tuple[int, ...]
    """That it serves, ascending."""
    graph_parts: int
    """That the graph has."""


class Server:
    """Serves parts of a graph, from its creation until it is closed, on its own threads.

    Clients open ``"gls://host:port"`` with :meth:`Dataset.open`, and get the batches that the whole
    graph would give in one process. The settings ``net.*`` of the context, or their environment
    variables, configure how connections are protected and which clients are admitted. Without a key
    (``GLS_NET_KEY_FILE``, ``GLS_NET_KEY``), certificates or ``GLS_NET_PLAIN=true`` it serves
    nothing. Use it in a ``with`` statement::

        with gls.Server("parts", listen="10.0.0.5:4711", parts=[0]) as server:
            server.serve()

    Args:
        path: A folder of parts, made by :meth:`Dataset.partition`, which may lack the parts that
            are not served. Or the folder of a dataset, which is served as one part.
        listen: The interface and port to listen on. Port 0: any free one, see :attr:`address`.
        parts: Parts to serve; None: all.
        servers: Addresses of other servers of the graph. Clients learn these addresses, and those
            servers learn the address of this one. They need not run yet.
        name: Name of the server in errors and logs of clients. None: made of the process id.
        num_threads: Threads that answer requests. None: as many as the context has.
        table_bytes: Memory for tables of clients (:meth:`Dataset.table`), at most. 0: it holds no
            tables. Only one server of a part may hold tables.
        residency, verify, progress: How the parts are opened, see :meth:`Dataset.open`.
        context: Whose settings and log it has. None: the default one.

    Raises:
        FileNotFound: `path` is no such folder, or has none of this part; no file of a key.
        AlreadyExists: The address is taken.
        IoError: No interface has it.
        Unsupported: The part of the library that speaks TCP is not installed.
        InvalidArgument: Nothing protects connections.
    """

    def __init__(
        self,
        path: Path,
        *,
        listen: str = "127.0.0.1:0",
        parts: Optional[Sequence[int]] = None,
        servers: Sequence[str] = (),
        name: Optional[str] = None,
        num_threads: Optional[int] = None,
        table_bytes: int = 0,
        residency: str = "mapped",
        verify: bool = False,
        progress: Optional[Progress] = None,
        context: Optional[Context] = None,
    ) -> None:
        options = low.ServerOptions()
        options.set_listen(text("listen", listen))
        for part in () if parts is None else parts:
            options.add_part(whole_number("parts", part, 0, 32))
        if isinstance(servers, str):
            raise TypeError("servers must be a sequence of addresses, not str")
        for server in servers:
            options.add_server(text("servers", server))
        if name is not None:
            options.set_name(text("name", name))
        if num_threads is not None:
            options.set_num_threads(whole_number("num_threads", num_threads, 1, 32))
        options.set_table_bytes(whole_number("table_bytes", table_bytes, 0, 64))
        options.set_residency(choice("residency", residency, RESIDENCY))
        options.set_verify(bool(verify))
        chosen = default_context() if context is None else context
        self._threads = threads_of(chosen) if num_threads is None else num_threads
        self._functions: Optional[Functions] = None
        self._generation = fork_generation()
        self._handle: Optional[low.Server] = options.start(
            chosen._low, path, check_progress(progress)
        )
        self._stopped = False

    @property
    def _low(self) -> low.Server:
        check_process(self._generation)
        handle = self._handle
        if handle is None:
            raise closed("server")
        return handle

    @staticmethod
    def probe(
        address: str, *, timeout: Optional[float] = 5, context: Optional[Context] = None
    ) -> ServerProbe:
        """Asks one server, local or remote, whether it serves, and what.

        The server serves if it listens, admits a client with this context's key or certificate, and
        answers. Other servers of the graph get no request and need not run. A server that was
        stopped no longer listens, however long requests in progress take.

        Args:
            address: "host:port".
            timeout: How many seconds that may take. None: without limit.
            context: Its settings configure how connections are protected. None: the default one.

        Raises:
            IoError: Nothing listens at the address, or the server does not admit this process.
            TimedOut: It did not answer in time.
            InvalidArgument: Nothing protects connections; the address.
        """
        chosen = default_context() if context is None else context
        limit = -1 if timeout is None else max(0, int(timeout * 1000))
        said = low.ServerProbe.ask(chosen._low, text("address", address), limit)
        parts = tuple(said.part(index) for index in range(said.num_parts()))
        return ServerProbe(said.name(), said.version(), said.graph(), parts, said.graph_parts())

    @property
    def address(self) -> str:
        """Where it listens: "host:port", with the port that was found."""
        return self._low.address()

    @property
    def info(self) -> ServerInfo:
        """What it does at this moment, and has done so far."""
        info = self._low.info()
        return ServerInfo(*(getattr(info, name) for name in ServerInfo._fields))

    @overload
    def function(self, name: str, function: Function) -> None:
        ...

    @overload
    def function(self, name: str) -> Callable[[Function], Function]:
        ...

    def function(
        self, name: str, function: Optional[Function] = None
    ) -> Optional[Callable[[Function], Function]]:
        """Lets clients call a function of this process with :meth:`Dataset.call`; also a decorator.

        The function is as for :meth:`Group.function`. It stays until the server is closed.

        Raises:
            AlreadyExists: There is one of this name.
            InvalidState: The server was stopped.
        """
        if function is None:

            def decorate(given: Function) -> Function:
                self.function(name, given)
                return given

            return decorate
        handle = self._low
        if self._functions is None:
            self._functions = Functions(self._threads, weakref.WeakMethod(self._end))
        self._functions.add(name, function, handle.function)
        return None

    def serve(self) -> None:
        """Returns when another thread stops it; Ctrl-C ends it, too."""
        while self._handle is not None and not self._stopped:
            time.sleep(_LOOK_S)

    def stop(self, timeout: Optional[float] = 10) -> None:
        """Takes no more requests, lets those under way end, and closes the connections.

        Clients that ask again wait for a server at the same address, or go to another one that has the
        part.

        Args:
            timeout: How many seconds requests under way may take. None: without limit.
        """
        self._low.stop(-1 if timeout is None else max(0, int(timeout * 1000)))
        self._stopped = True

    def _end(self) -> None:
        """Before its functions end: for clients it is the server that is gone, and another may be asked."""
        if self._handle is not None and self._generation == fork_generation():
            self._handle.stop(0)

    def close(self) -> None:
        """Stops it at once, unless it was stopped. Waits for functions that are running."""
        self._handle = None
        if self._functions is not None and self._generation == fork_generation():
            self._functions.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise not_picklable("Server", "make it in the process that serves")

"""Ports to listen at."""

from __future__ import annotations

import errno
import random
import socket


def free_port() -> int:
    """A port of loopback where nobody listens. It is below those that Linux gives to connections
    (from 32768 up), so that none of the tests' own takes it before it is listened at."""
    while True:
        port = random.SystemRandom().randrange(10000, 32768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            return port


def free_place() -> str:
    return f"127.0.0.1:{free_port()}"

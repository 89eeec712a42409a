"""What stands for machines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from machines import NEEDED, Machines, NoMachines

HERE = Path(__file__).parent


def test_they_reach_each_other_unless_unplugged() -> None:
    hear = "import socket; s = socket.create_server(('', 9)); s.accept()[0].sendall(b'heard')"
    ask = "import socket; s = socket.create_connection(('{}', 9), 1); print(s.recv(9).decode())"
    with Machines(2) as machines:
        first, second = machines
        with subprocess.Popen(first.command(sys.executable, "-c", hear)) as server:
            question = second.command(
                sys.executable,
                "-c",
                "import time\n"
                "for _ in range(100):\n"
                f"    try: {ask.format(first.address)}; break\n"
                "    except OSError: time.sleep(0.1)",
            )
            done = subprocess.run(question, capture_output=True, text=True, timeout=30, check=True)
            assert done.stdout == "heard\n"
            assert server.wait(10) == 0
        before = second.received()
        assert before > 0
        first.unplug()
        alone = second.command(sys.executable, "-c", ask.format(first.address))
        assert subprocess.run(alone, capture_output=True, timeout=30, check=False).returncode != 0
        first.plug()
        assert first.processes() == []


def test_what_is_needed_is_said() -> None:
    with pytest.raises(NoMachines, match="iproute2"):
        Machines(1, tool="no-such-ip")
    make = "from machines import Machines; Machines(1)"
    drop = ["setpriv", "--bounding-set=-sys_admin,-net_admin"]
    done = subprocess.run(
        [*drop, sys.executable, "-c", make],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert NEEDED in done.stderr

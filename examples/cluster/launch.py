"""Starts so many processes of a program on this machine, with the variables that torchrun sets.

    python examples/cluster/launch.py 4 examples/cluster/collocated.py --epochs 10

If there is no key in the environment, one is made for this run. When a process fails, the others are
ended.
"""

import errno
import os
import random
import secrets
import socket
import subprocess
import sys
import time


def free_port() -> int:
    """Below those that Linux gives to connections, so that none of them takes it meanwhile."""
    while True:
        port = random.randrange(10000, 32768)
        with socket.socket() as found:
            try:
                found.bind(("127.0.0.1", port))
                return port
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise


def main() -> int:
    count, program = int(sys.argv[1]), sys.argv[2:]
    shared = dict(os.environ, WORLD_SIZE=str(count), LOCAL_WORLD_SIZE=str(count))
    shared.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
    protections = ("KEY", "KEY_FILE", "CERTIFICATE_FILE", "PLAIN")
    if not any(f"GLS_NET_{name}" in shared for name in protections):
        shared["GLS_NET_KEY"] = secrets.token_hex(32)
    processes = [
        subprocess.Popen(
            [sys.executable, *program], env={**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}
        )
        for rank in range(count)
    ]

    def failed() -> int:
        return next((code for code in [process.poll() for process in processes] if code), 0)

    code = 0
    try:
        while code == 0 and any(process.poll() is None for process in processes):
            time.sleep(0.05)
            code = failed()
    except KeyboardInterrupt:  # the processes got it, too
        code = 130
    finally:
        end = time.monotonic() + 10  # for the others to say what they miss
        for process in processes:
            try:
                process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    return code or failed()


if __name__ == "__main__":
    sys.exit(main())

"""A headless Chromium, driven over its debugging protocol through two pipes."""

import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List

NAMES = ("chromium", "google-chrome")
TIMEOUT = 60


def find_browser() -> str:
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    raise FileNotFoundError(f"none of {', '.join(NAMES)}; scripts/packages.sh browser installs one")


class Browser:
    """One tab. `errors` and `requests` are those of the page that was opened last."""

    def __init__(self, folder: Path):
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        # The browser reads descriptor 3 and writes descriptor 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash", find_browser()]
            + ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            + ["--no-first-run", "--disable-background-networking", "--hide-scrollbars"]
            + [f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(folder / "stderr.txt").open("wb"),
        )
        os.close(to_browser)
        os.close(from_browser)
        self.stderr = folder / "stderr.txt"
        self.pending = b""
        self.number = 0
        self.session = ""
        self.loaded = False
        self.errors: List[str] = []
        self.requests: List[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self.session = ""
        self.call("Browser.close")
        self.process.wait(TIMEOUT)
        os.close(self.output)
        os.close(self.input)

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command; events that come before it are noted."""
        self.number += 1
        message: Dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.receive()
            if reply.get("id") == self.number:
                assert "error" not in reply, f"{method}: {reply['error']}"
                return reply["result"]

    def receive(self) -> Any:
        """The next message of the browser."""
        end = time.monotonic() + TIMEOUT
        while b"\0" not in self.pending:
            ready = select.select([self.input], [], [], max(0.0, end - time.monotonic()))[0]
            piece = os.read(self.input, 1 << 16) if ready else b""
            assert piece, f"the browser does not answer:\n{self.stderr.read_text(errors='replace')}"
            self.pending += piece
        text, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(text)
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        return message

    def open(self, file: Path) -> None:
        """Opens a file, and waits until it and its script have run."""
        self.loaded = False
        self.errors.clear()
        self.requests.clear()
        self.call("Page.navigate", url=file.resolve().as_uri())
        while not self.loaded:
            self.receive()

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def resize(self, width: int, height: int = 800) -> None:
        """Sets the size of the window, and waits until the page has followed."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        # Observers of sizes run between two frames.
        frame = "new Promise((done) => requestAnimationFrame(done))"
        self.evaluate(f"{frame}.then(() => {frame})")

    def prefer(self, scheme: str) -> None:
        """The colour scheme that the system prefers: light or dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def move_mouse(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

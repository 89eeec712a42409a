"""The page that gls plan writes, in a browser."""

import json
import subprocess
from pathlib import Path

from browser import Browser
from conftest import open_page


def test_the_command_writes_the_page_of_its_json(
    browser: Browser, tool: str, tmp_path: Path
) -> None:
    graph = str(tmp_path / "g")
    file = tmp_path / "plan.html"
    shape = ["--nodes", "2000", "--edges", "8000", "--features", "32"]
    subprocess.run([tool, "generate", *shape, "-q", "-o", graph], check=True)
    words = [tool, "plan", graph, "--batch-size", "100", "--batches", "7"]
    done = subprocess.run(
        [*words, "--html", str(file), "--json"], check=True, capture_output=True, text=True
    )
    plan = json.loads(done.stdout)
    browser.prefer("light")
    browser.resize(1280)
    open_page(browser, file)
    assert browser.evaluate("JSON.parse(document.getElementById('plan').textContent)") == plan
    assert plan["batches"] == {"epoch": 20, "planned": 7}
    headline = browser.evaluate("document.getElementById('headline').textContent")
    assert headline.startswith("This plan covers 7 of 20 batches of epoch 0.")
    assert browser.evaluate("document.querySelectorAll('[role=img]').length") == 3

"""Fixtures of the tests of pages: one browser for all, and pages of plans in it."""

import json
import os
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from browser import Browser

TEMPLATE = Path(__file__).parents[2] / "tools" / "commands" / "plan_page.html"
PLACEHOLDER = "{{PLAN}}"


def render(plan: Any) -> str:
    """The page of a plan, as tools/commands/plan_page.cc makes it."""
    template = TEMPLATE.read_text(encoding="utf-8")
    assert template.count(PLACEHOLDER) == 1
    data = json.dumps(plan, ensure_ascii=False).replace("<", "\\u003c")
    return template.replace(PLACEHOLDER, data)


@pytest.fixture(name="browser", scope="session")
def browser_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.fixture(name="show")
def show_fixture(browser: Browser, tmp_path: Path) -> Callable[..., Browser]:
    """Opens the page of a plan, which must work without an error and without another file."""

    def show(plan: Any, width: int = 1280) -> Browser:
        file = tmp_path / "plan.html"
        file.write_text(render(plan), encoding="utf-8")
        browser.prefer("light")
        browser.resize(width)
        open_page(browser, file)
        return browser

    return show


def open_page(browser: Browser, file: Path) -> None:
    browser.open(file)
    assert browser.errors == []
    assert browser.requests == [file.resolve().as_uri()]
    assert browser.evaluate("document.documentElement.dataset.ready") == "true"


@pytest.fixture(name="tool")
def tool_fixture() -> str:
    """The gls command, which the environment variable GLS_TOOL names."""
    return os.environ["GLS_TOOL"]

"""Runs the gls command named by GLS_TOOL with the plugin "formats" in GLS_PLUGIN_PATH."""

import os
from pathlib import Path

import pytest

from cli.conftest import Tool


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    assert os.environ.get("GLS_PLUGIN_PATH"), "scripts/formats.sh prints the folder of the plugin"
    return Tool(os.environ["GLS_TOOL"], tmp_path)

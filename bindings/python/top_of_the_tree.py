"""scikit-build-core, run where the package's pyproject.toml is."""

import os
from pathlib import Path

from scikit_build_core.build import *  # noqa: F401,F403

os.chdir(Path(__file__).resolve().parents[2])

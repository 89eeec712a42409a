"""The package is typed: by its own account, and as its users see it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List

import gls

USER = """
import numpy as np
import gls

dataset = gls.Dataset.from_arrays(np.zeros((2, 3), np.int64), x=np.zeros((1, 2), np.float32))
loader = gls.NeighborLoader(dataset, [10, 5], "train", batch_size=64, shuffle=True)
for batch in loader:
    reveal_type(batch)
    reveal_type(batch.x)
    reveal_type(batch.x.numpy())
    reveal_type(batch.num_sampled_nodes)
    reveal_type(batch.edges["a", "to", "b"].row)
reveal_type(loader.stats.edges)
gls.NeighborLoader(dataset, [10], batch_size="many")
gls.Dataset.open(5)
"""

REVEALED = ["gls._batch.batch.Batch", "gls._core.tensor.Tensor", "numpy.ndarray", "list["]
REVEALED += ["gls._core.tensor.Tensor", "int"]

CONFIG = """
[mypy]
strict = True
[mypy-torch.*,torch_geometric.*,dgl.*]
ignore_missing_imports = True
follow_imports = skip
"""


def mypy(*arguments: str, cwd: Path) -> List[str]:
    (cwd / "mypy.ini").write_text(CONFIG)
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(cwd / "cache"), *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
    )
    assert out.stderr == ""
    return out.stdout.splitlines()


def test_types(tmp_path: Path) -> None:
    package = Path(gls.__file__).parent
    assert (package / "py.typed").exists()
    assert "Success" in mypy("-p", "gls", cwd=tmp_path)[-1]
    (tmp_path / "user.py").write_text(USER)
    lines = mypy("user.py", cwd=tmp_path)
    revealed = [line for line in lines if "Revealed type" in line]
    assert len(revealed) == len(REVEALED)
    for line, kind in zip(revealed, REVEALED):
        assert kind in line
    errors = [line for line in lines if "error:" in line and line.startswith("user.py")]
    assert len(errors) == 2 and "batch_size" in errors[0] and "open" in errors[1]

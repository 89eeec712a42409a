"""Writes a table of pandas to golden/pandas: `frame-2.pkl`, `frame-3.pkl`, or `frame-3-arrow.pkl`.

Usage: python make_pandas.py (with pandas 2, with pandas 3, and with pandas 3 and pyarrow)
"""

from importlib.util import find_spec

import numpy as np
import pandas as pd

from golden import GOLDEN

FOLDER = GOLDEN / "pandas"


def main() -> None:
    major = pd.__version__.split(".")[0]
    arrow = "-arrow" if major == "3" and find_spec("pyarrow") else ""
    # Columns of one type need not stand together.
    columns = {
        "u": np.arange(5) * 2,
        "idx": np.arange(5),
        "ts": np.arange(5) + 0.5,
        "flag": np.array([True, False, True, False, True]),
        "i": np.arange(5, 0, -1),
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(columns).to_pickle(FOLDER / f"frame-{major}{arrow}.pkl")
    with open(FOLDER / "VERSIONS", "a") as versions:
        versions.write(f"frame-{major}{arrow}.pkl: pandas {pd.__version__}\n")


if __name__ == "__main__":
    main()

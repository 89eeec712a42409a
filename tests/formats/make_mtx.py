"""Writes the golden files of MatrixMarket in golden/mtx by scipy.io.mmwrite of scipy 1.17.1."""

from __future__ import annotations

import gzip
import shutil
from typing import Any, Dict

import numpy as np
import scipy
import scipy.io
import scipy.sparse

import golden

OUT = golden.GOLDEN / "mtx"


def matrices() -> Dict[str, Any]:
    random = np.random.default_rng(3)
    real = scipy.sparse.random(6, 6, 0.3, random_state=random, dtype=np.float64).tocoo()
    wide = scipy.sparse.coo_matrix(
        (np.array([5, -2, 2**40]), (np.array([0, 2, 1]), np.array([4, 0, 3]))), shape=(3, 5)
    )
    lower = scipy.sparse.coo_matrix(
        (np.array([1.5, 2.5, -3.5]), (np.array([1, 2, 2]), np.array([0, 2, 0]))), shape=(4, 4)
    )
    symmetric = (lower + scipy.sparse.tril(lower, -1).T).tocoo()
    skew = (scipy.sparse.tril(lower, -1) - scipy.sparse.tril(lower, -1).T).tocoo()
    return {"real": real, "integer": wide, "pattern": real, "symmetric": symmetric, "skew": skew}


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    for name, matrix in matrices().items():
        field = {"pattern": "pattern", "integer": "integer"}.get(name, "real")
        symmetry = {"symmetric": "symmetric", "skew": "skew-symmetric"}.get(name, "general")
        path = OUT / f"{name}.mtx"
        scipy.io.mmwrite(str(path), matrix, comment="by scipy", field=field, symmetry=symmetry)
        read = scipy.io.mmread(str(path), spmatrix=False)
        if name == "integer":
            with open(OUT / "integer.mtx.gz", "wb") as file:
                with gzip.GzipFile("", "wb", 9, file, mtime=0) as out:
                    out.write(path.read_bytes())
            path.unlink()
        row, column = read.coords
        values = read.data
        if symmetry != "general":  # scipy reads what is stored first, then the other directions
            stored = [i for i in range(len(row)) if row[i] >= column[i]]
            order = []
            for i in stored:
                order.append(i)
                for j in range(len(row)):
                    if row[i] != column[i] and (row[j], column[j]) == (column[i], row[i]):
                        order.append(j)
            row, column, values = row[order], column[order], values[order]
        count = {"node": {"count": matrix.shape[0]}}
        edges = "node__to__node"
        if matrix.shape[0] != matrix.shape[1]:
            count = {"row": {"count": matrix.shape[0]}, "column": {"count": matrix.shape[1]}}
            edges = "row__to__column"
        columns = {} if field == "pattern" else {"value": values}
        golden.save(
            OUT / f"{name}.npz",
            count,
            {
                edges: {
                    "source": row.astype(np.int64),
                    "target": column.astype(np.int64),
                    "columns": columns,
                }
            },
        )
    (OUT / "VERSIONS").write_text(f"scipy {scipy.__version__}\n")


if __name__ == "__main__":
    main()

"""Writes the golden databases of RelBench. Run once in an environment with relbench 3.0.2, and once
with relbench 1.1.0: they write different folders. Each loads what it wrote, and what it loads
must come out.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Dict

import numpy as np
import pandas as pd
import relbench
from relbench.base import Database, Table

from golden import GOLDEN, save

random = np.random.default_rng(17)


def database() -> Database:
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(12) * 14, "D")
    races = pd.DataFrame(
        {
            "id": np.arange(12),
            "date": days,
            "laps": random.integers(40, 80, 12).astype(np.int32),
            "length": random.standard_normal(12),
            "name": [f"race {i}" for i in range(12)],
        }
    )
    races.loc[[3, 7], "length"] = np.nan
    drivers = pd.DataFrame({"id": np.arange(9), "right_handed": random.random(9) < 0.8})
    race = random.integers(0, 12, 40)
    driver = pd.array(random.integers(0, 9, 40), dtype="Int64")
    driver[::6] = pd.NA
    results = pd.DataFrame(
        {
            "race": race,
            "driver": driver,
            "date": days[race],
            "points": random.integers(0, 26, 40).astype(np.float32),
        }
    )
    return Database(
        {
            "races": Table(races, {}, "id", "date"),
            "drivers": Table(drivers, {}, "id", None),
            "results": Table(results, {"race": "races", "driver": "drivers"}, None, "date"),
        }
    )


def expected(path: Path, loaded: Database) -> None:
    """Numbers become columns, with masks where they have nulls; keys become edges."""
    nodes: Dict[str, Any] = {}
    edges: Dict[str, Any] = {}
    for name, table in loaded.table_dict.items():
        frame = table.df
        columns: Dict[str, Any] = {}
        keys = [*table.fkey_col_to_pkey_table, table.pkey_col]
        for field in frame.columns:
            values = frame[field]
            if field in keys or values.dtype == object or pd.api.types.is_string_dtype(values):
                continue
            columns[field] = numbers(values)
            if values.isna().any():
                columns[f"{field}_mask"] = values.notna().to_numpy()
        nodes[name] = {"count": len(frame), "columns": columns}
        for key, parent in table.fkey_col_to_pkey_table.items():
            known = frame[key].notna().to_numpy()
            edges[f"{name}__{key}__{parent}"] = {
                "source": np.flatnonzero(known),
                "target": frame[key][known].to_numpy(np.int64),
                "columns": {table.time_col: numbers(frame[table.time_col])[known]},
            }
    save(path, nodes, edges)


def numbers(values: Any) -> Any:
    """What a file has: 0 where a value is missing, and times as integers."""
    if pd.api.types.is_datetime64_any_dtype(values):
        return values.to_numpy().view(np.int64)
    return values.fillna(0).to_numpy()


def new_folder(name: str) -> Path:
    folder = GOLDEN / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    versions = f"relbench {relbench.__version__}\npandas {pd.__version__}\n"
    (folder / "VERSIONS").write_text(versions)
    return folder


def with_manifest() -> None:
    """The layout of version 3."""
    from relbench.load import load_dataset
    from relbench.manifest import DatasetManifest, TableSpec

    folder = new_folder("relbench-manifest")
    (folder / "db").mkdir()
    tables = database().table_dict
    specs = {}
    for name, table in tables.items():
        table.df.to_parquet(folder / "db" / f"{name}.parquet", index=False)
        specs[name] = TableSpec(table.pkey_col, table.time_col, table.fkey_col_to_pkey_table)
    manifest = DatasetManifest("small", "2020-04-01", "2020-05-01", "Small.", specs)
    manifest.save(folder / "manifest.yaml")
    loaded = load_dataset(str(folder)).get_db(upto_test_timestamp=False)
    expected(folder / "expected.npz", loaded)


def with_metadata() -> None:
    """The layout of the versions before."""
    folder = new_folder("relbench-files")
    database().save(folder)
    expected(folder / "expected.npz", Database.load(folder))


if __name__ == "__main__":
    if hasattr(Database, "save"):
        with_metadata()
    else:
        with_manifest()

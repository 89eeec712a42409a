"""Machines, a graph that is cut, and what its batches are.

GLS_TOOL names the gls command; the Python package is that of the interpreter.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest
from cluster import MACHINES, Cluster
from expected import Expected
from graph import cut, cut_by_tool, write_graph
from machines import Machines, NoMachines
from security import Certificates, Key, Security


@pytest.fixture(scope="session")
def machines() -> Iterator[Machines]:
    try:
        made = Machines(MACHINES)
    except NoMachines as error:
        pytest.fail(str(error), pytrace=False)
    with made:
        yield made


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the graph is, and keys."""
    made = tmp_path_factory.mktemp("shop")
    write_graph(made)
    return made


@pytest.fixture(scope="session")
def parts(folder: Path) -> Callable[[int], Path]:
    """The folder of so many parts."""
    return lambda count: cut(folder, count)


@pytest.fixture(scope="session")
def cuts(folder: Path) -> Callable[[int], Path]:
    """The folder of so many parts, cut in another way for each number, with copies of neighbours."""
    return lambda count: cut_by_tool(folder, count)


@pytest.fixture(scope="session")
def expected(folder: Path) -> Expected:
    return Expected(folder)


@pytest.fixture(scope="session")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Security]:
    """How connections are protected, by name."""
    made = tmp_path_factory.mktemp("security")
    return {
        "plain": Security(),
        "key": Key(made / "key"),
        "certificates": Certificates(made / "certificates"),
    }


@pytest.fixture()
def cluster(
    machines: Machines, tmp_path: Path, ways: Dict[str, Security]
) -> Iterator[Callable[..., Cluster]]:
    """Makes a cluster with settings of its processes, protected as said."""
    made: List[Cluster] = []

    def make(security: str = "key", **values: Any) -> Cluster:
        named = {name.replace("__", "."): value for name, value in values.items()}
        made.append(Cluster(machines, tmp_path, ways[security], named))
        return made[-1]

    yield make
    for one in made:
        one.close()

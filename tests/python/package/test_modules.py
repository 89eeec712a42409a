"""The shape of the package: which module imports which, and how many files a folder has."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

import pytest

import gls

PACKAGE = Path(gls.__file__).parent
MOST_FILES = 25
Graph = Dict[str, Set[str]]


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    module_name(path): ast.parse(path.read_text("utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent.name != "_low" or path.name == "__init__.py"
}


def imports(tree: ast.AST, in_function: bool = False) -> Iterator[Tuple[str, bool]]:
    """Modules that a module imports, and whether a function does it. What is for type checkers alone
    counts like an import at the top."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, in_function) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the module from the package on"
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield (module if module in MODULES else str(node.module)), in_function
        function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        yield from imports(node, in_function or function)


def graph_of(in_functions: bool) -> Graph:
    return {
        name: {
            module
            for module, in_function in imports(tree)
            if module in MODULES and in_function <= in_functions
        }
        for name, tree in MODULES.items()
    }


def find_circle(graph: Graph) -> List[str]:
    """The first circle of imports, or []."""
    done: Set[str] = set()

    def visit(name: str, way: List[str]) -> List[str]:
        if name in way:
            return way[way.index(name) :] + [name]
        if name not in done:
            for other in sorted(graph[name]):
                found = visit(other, way + [name])
                if found:
                    return found
            done.add(name)
        return []

    return next((found for name in sorted(graph) for found in [visit(name, [])] if found), [])


def test_circles_are_found() -> None:
    assert find_circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert find_circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    tree = ast.parse("import gls.errors\ndef f():\n    from gls import types\n    import gls.nn\n")
    assert list(imports(tree)) == [("gls.errors", False), ("gls.types", True), ("gls.nn", True)]


@pytest.mark.parametrize("in_functions", [False, True], ids=["at the top", "in functions, too"])
def test_no_module_imports_itself_by_others(in_functions: bool) -> None:
    assert find_circle(graph_of(in_functions)) == []


def test_no_folder_imports_itself_by_others() -> None:
    def folder(module: str) -> str:
        # A module beside the folders, such as gls.errors, is a place of its own.
        return ".".join(module.split(".")[:-1]) if module.count(".") > 1 else module

    graph: Graph = {}
    for name, others in graph_of(True).items():
        below = {folder(other) for other in others} - {folder(name)}
        graph.setdefault(folder(name), set()).update(below)
    assert find_circle(graph) == []


def test_no_function_imports_a_module_of_the_package() -> None:
    lazy = {
        (name, module)
        for name, tree in MODULES.items()
        for module, in_function in imports(tree)
        if in_function and module in MODULES
    }
    assert lazy == set()


def test_folders_have_few_files() -> None:
    for folder in {path.parent for path in PACKAGE.rglob("*.py")}:
        files = [path.name for path in folder.iterdir() if path.suffix in (".py", ".pyi")]
        assert len(files) <= MOST_FILES, folder


def test_import_brings_nothing_that_few_need() -> None:
    code = (
        "import sys, gls\n"
        "heavy = {'numpy', 'torch', 'torch_geometric', 'dgl', 'inspect', 'asyncio', 'tempfile', 'logging'}\n"
        "own = {'gls.pyg', 'gls.nn', 'gls.dgl'}\n"
        "print(sorted((heavy | own) & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.strip() == "[]"

"""What the client imports is what pyproject.toml declares: an installation of the wheel has nothing else."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def declared(name: str) -> set[str]:
    """The modules of a list of requirements."""
    match = re.search(rf"^{name} = (\[.*\])$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert match
    return {re.split(r"[^A-Za-z0-9_.-]", requirement)[0].replace("-", "_") for requirement in ast.literal_eval(match[1])}


REQUIRED = declared("dependencies")
EXTRAS = set().union(*(declared(extra) for extra in ("live", "sealed", "sealed-media")))


def imported_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []


def foreign_imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        tops = [name.split(".")[0] for name in imported_by(node)]
        yield from (top for top in tops if top not in sys.stdlib_module_names and top != "parlance")


def at_start(tree: ast.Module) -> ast.Module:
    """The statements that an import of the module runs, without those that need not succeed or are for type checkers."""
    return ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])


def test_only_what_is_declared_is_imported() -> None:
    imported = {name for path in SOURCES for name in foreign_imports(ast.parse(path.read_text()))}
    assert imported == REQUIRED | EXTRAS


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_module_can_be_imported_without_the_extras(path: Path) -> None:
    assert set(foreign_imports(at_start(ast.parse(path.read_text())))) <= REQUIRED

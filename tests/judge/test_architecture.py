"""The arrows between the packages, and what may be imported where."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("rubrics", "judge", "calibration")
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]

ALLOWED_ARROWS = {"rubrics": {"rubrics"}, "calibration": {"rubrics", "calibration"}, "judge": set(PACKAGES)}
VENDORS = ("openai", "anthropic", "litellm", "xllamacpp")
HOMES = {
    "tenacity": ("judge/models/",),
    "jinja2": ("judge/prompting.py", "rubrics/templates.py", "rubrics/filling.py", "calibration/reports/"),
    "matplotlib": ("calibration/reports/",),
    "sqlalchemy": ("judge/store/",),
    "openai": ("judge/models/",),
    "anthropic": ("judge/models/",),
    "litellm": ("judge/models/",),
    "xllamacpp": ("judge/models/",),
    "aiohttp": ("judge/models/",),
}


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules a file imports, and whether at its top level (not in a function or under TYPE_CHECKING)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, id(node) in top


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_a_package_imports_only_those_below_it(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    ours = {module.split(".")[0] for module, _ in imported(path)} & set(PACKAGES)
    assert ours <= ALLOWED_ARROWS[package]


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_libraries_stay_in_the_rooms_that_own_them(path: Path) -> None:
    for module, _ in imported(path):
        homes = HOMES.get(module.split(".")[0])
        assert homes is None or relative(path).startswith(homes), f"{module} is imported in {relative(path)}"


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_vendor_packages_are_imported_only_when_used(path: Path) -> None:
    eager = [module for module, at_top in imported(path) if at_top and module.split(".")[0] in VENDORS]
    assert not eager


def test_importing_judge_and_its_verbs_loads_no_vendor_and_no_database() -> None:
    code = "import sys, judge, rubrics; judge.grade; print([m for m in sys.modules if m in %r])"
    names = (*VENDORS, "sqlalchemy", "openpyxl", "scipy", "numpy", "rich")
    found = subprocess.run(
        [sys.executable, "-c", code % (names,)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert found.stdout.strip() == "[]"


def _graph() -> dict[str, set[str]]:
    names = {relative(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__"): path for path in FILES}
    return {
        name: {m for m, at_top in imported(path) if at_top and m in names and m != name} for name, path in names.items()
    }


def test_no_import_goes_in_a_circle() -> None:
    graph = _graph()
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for other in graph[name]:
                visit(other, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_every_public_name_has_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            bare += [node.name] if not ast.get_docstring(node) else []
    bare += [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert not bare

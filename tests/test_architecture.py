"""The map is true: every module is listed by its package, and every place that the map names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "windlass"
MAP = (ROOT / "docs" / "architecture.md").read_text()

PACKAGES = sorted(path.parent for path in SOURCE.rglob("__init__.py"))
MOST_FILES = 15
"""A folder with more files than this has become two rooms."""

RETIRED = {
    "afresh",
    "attendance",
    "belongings",
    "binding",
    "guardian",
    "hindrance",
    "lanes",
    "portrait",
    "surroundings",
    "swelling",
    "swollen",
    "twofold",
    "vitals",
    "whereabouts",
}
"""Words that meant something to nobody but us; ``docs/architecture.md`` has those that replace them."""


def _name(package: Path) -> str:
    return str(package.relative_to(SOURCE.parent))


def _modules(package: Path) -> list[str]:
    return sorted(path.stem for path in package.glob("*.py") if not path.stem.startswith("__"))


@pytest.mark.parametrize("package", PACKAGES, ids=_name)
def test_a_package_lists_its_files(package: Path) -> None:
    listed = re.findall(
        r"^- ``([\w/]+)``", ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or "", re.M
    )
    rooms = sorted(f"{path.name}/" for path in package.iterdir() if (path / "__init__.py").exists())

    assert sorted(listed) == sorted(_modules(package) + rooms)


@pytest.mark.parametrize("package", PACKAGES, ids=_name)
def test_a_room_has_few_files(package: Path) -> None:
    assert len(_modules(package)) <= MOST_FILES


@pytest.mark.parametrize("package", PACKAGES[1:], ids=_name)
def test_every_room_is_in_the_map(package: Path) -> None:
    assert f"{package.name}/" in MAP


def test_every_place_in_the_map_is_there() -> None:
    files = {str(path.relative_to(SOURCE)): path.read_text() for path in SOURCE.rglob("*.py")}
    files["tests/test_architecture.py"] = files["tests/store/conftest.py"] = ""
    for path, name in re.findall(r"`([\w/]+\.py)(?:: ([\w.]+))?`", MAP.replace(":\n     ", ": ")):
        if "NAME" in path:
            continue
        found = [text for file, text in files.items() if file == path or file.endswith(f"/{path}")]
        assert found, path
        for part in name.split(".") if name else ():
            assert any(re.search(rf"\b{part}\b", text) for text in found), f"{path}: {name}"


def test_retired_words_do_not_come_back() -> None:
    used: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node, "name", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
            for word in RETIRED & set(re.split(r"_+", str(name).lower())):
                used.setdefault(word, []).append(str(path.relative_to(SOURCE)))

    assert used == {}

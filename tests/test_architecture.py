"""The map is true: every module is listed by its package, and every place that the map names is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "windlass"
TESTS = ROOT / "tests"
MAP = (ROOT / "docs" / "architecture.md").read_text()

PACKAGES = sorted(path.parent for path in SOURCE.rglob("__init__.py"))
MOST_FILES = 14
"""A folder with more files than this has become two rooms."""

RETIRED = {
    "afresh",
    "anew",
    "anybody",
    "attendance",
    "bell",
    "belongings",
    "binding",
    "goodbye",
    "guardian",
    "hindrance",
    "judgement",
    "lanes",
    "nobody",
    "outlook",
    "patiently",
    "portrait",
    "somebody",
    "surroundings",
    "swelling",
    "swollen",
    "tend",
    "tending",
    "twofold",
    "vitals",
    "whereabouts",
    "whoever",
    "worn",
}
"""Private names for things; ``docs/architecture.md`` has the words that replace them."""

PERSONS = re.compile(r"\b(nobody|somebody|anybody|everybody|whoever|whom)\b", re.IGNORECASE)
"""A sentence names the thing: a worker, a process, a thread, a caller."""


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


def _rooms_of_the_map() -> dict[str, str]:
    """The rooms with which a line of the map's tree begins, by path, and what the map says there."""
    said: dict[str, str] = {}
    tops: list[str] = []
    for line in MAP.partition("src/windlass/\n")[2].partition("```")[0].splitlines():
        indent, text = re.fullmatch(r"([: ] *)(.*)", line).groups()  # type: ignore[union-attr]
        if len(indent) > 4:  # goes on with the line before
            said[list(said)[-1]] += f" {text}"
            continue
        found = re.match(r"(?:\w+/ ?)*", text)
        rooms = found[0].replace("/", "").split() if found else []
        tops = tops if len(indent) == 4 else rooms
        for room in rooms:
            said[room if len(indent) == 2 else f"{tops[0]}/{room}"] = text
    return said


ROOMS = _rooms_of_the_map()


@pytest.mark.parametrize("package", PACKAGES[1:], ids=_name)
def test_every_room_is_in_the_map(package: Path) -> None:
    """By a line of its own, or by its name in the line of the room around it."""
    path = package.relative_to(SOURCE)
    line = next(room for room in (path, *path.parents) if str(room) in ROOMS)

    assert [part for part in path.relative_to(line).parts if f"{part}/" not in ROOMS[str(line)]] == []


def test_every_room_of_the_map_is_there() -> None:
    assert [room for room in ROOMS if not (SOURCE / room / "__init__.py").exists()] == []


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    """What is assigned to."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from target.elts if isinstance(target, ast.Tuple) else [target]
    elif isinstance(node, ast.AnnAssign):
        yield node.target


def _defined(body: list[ast.stmt]) -> set[str]:
    """The names of functions, classes and values that a module or a class defines."""
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    return functions | {target.id for node in body for target in _targets(node) if isinstance(target, ast.Name)}


def _members(found: ast.ClassDef) -> set[str]:
    """The methods and attributes of a class."""
    own = {target for node in ast.walk(found) for target in _targets(node) if isinstance(target, ast.Attribute)}
    of_self = {target.attr for target in own if isinstance(target.value, ast.Name) and target.value.id == "self"}
    return _defined(found.body) | of_self


def _names(text: str) -> set[str]:
    """Everything that a module has, as ``name`` or as ``Class.member``."""
    tree = ast.parse(text)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return _defined(tree.body) | {f"{found.name}.{member}" for found in classes for member in _members(found)}


def _sql_or_lua_names(text: str) -> set[str]:
    """The parts of a statement (``WITH name AS``), the functions and the values of a script."""
    return set(re.findall(r"(?:\blocal (?:function )?|^-- \d+\. |WITH |\), )(\w+)", text, re.M))


@cache
def _names_in(path: Path) -> set[str]:
    return (_names if path.suffix == ".py" else _sql_or_lua_names)(path.read_text())


@pytest.mark.parametrize(
    ("path", "name"),
    [
        place
        for place in re.findall(r"`([\w/]+\.(?:py|sql|lua))(?:: ([\w.]+))?`", re.sub(r"\n +", " ", MAP))
        if "NAME" not in place[0]
    ],
)
def test_every_place_in_the_map_is_there(path: str, name: str) -> None:
    root = ROOT / "tests" if path.startswith("tests/") else SOURCE
    found = [file for file in root.rglob(Path(path).name) if str(file).endswith(f"/{path}")]

    assert found
    assert not name or any(name in _names_in(file) for file in found)


def test_every_name_in_the_map_is_there() -> None:
    """Also in the diagrams; ``Pump._apply`` is a member of the class ``Pump``."""
    named = {*re.findall(r"`([A-Z]\w+[a-z]\w*(?:\.\w+)?)`", MAP), *re.findall(r"\b([A-Z]\w+[a-z]\.\w+)", MAP)}

    assert named - {name for file in SOURCE.rglob("*.py") for name in _names_in(file)} == set()


def test_retired_words_do_not_come_back() -> None:
    used: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node, "name", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
            for word in RETIRED & set(re.split(r"_+", str(name).lower())):
                used.setdefault(word, []).append(str(path.relative_to(SOURCE)))

    assert used == {}


def test_sentences_name_things_not_persons() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{number}": line.strip()
        for path in (*SOURCE.rglob("*"), *(ROOT / "docs").glob("*.md"))
        if path.suffix in (".py", ".sql", ".lua", ".md") and path.parent.name != "migrations"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if PERSONS.search(line)
    }

    assert found == {}


def test_the_tests_of_every_module_are_found() -> None:
    tests = {re.sub(r"^[a-e]\d\d_", "", path.stem.removeprefix("test_")) for path in TESTS.rglob("test_*.py")}
    rows = re.findall(r"^\| (`.*?`) \| (`.*?`[^|]*) \|$", (TESTS / "README.md").read_text(), re.M)
    mapped = {name for names, _ in rows for name in re.findall(r"`([\w/.]+)`", names)}
    unmapped = [
        name
        for name in (str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if not path.stem.startswith("__"))
        if Path(name).stem not in tests and not mapped & {name, *(f"{each}/" for each in Path(name).parents)}
    ]
    named = {name for _, places in rows for name in re.findall(r"`([\w/.]+(?:/|\.py))`", places)}

    assert unmapped == []
    assert [name for name in named if not (TESTS / name).exists()] == []

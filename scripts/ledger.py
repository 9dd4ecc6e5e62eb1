"""Write docs/ledger.md: every promise of docs/ledger-rows.toml with the tests that prove it.

A test proves a row by beginning its docstring with the row's number, as in ``"A7: ..."`` or ``"E1, E5: ..."``; numbers
of faults (``"B7, W4: ..."``) may stand among them. With ``--check`` nothing is written; exit code 1 when the file is
not up to date, or when a test names a row that is none.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NUMBERS_OF_TEST = re.compile(r"[A-Z]\d+(?:(?:, |-)[A-Z]\d+)*(?=[:.])")
ROW = re.compile(r"[A-F]\d+")
STORES = {"sqlite": "S", "postgres": "P", "redis": "R"}

Test = ast.FunctionDef | ast.AsyncFunctionDef

HEAD = """\
# The ledger

What Windlass promises, row by row, and the tests that prove it. Written by `scripts/ledger.py` from the docstrings of
the tests and from [ledger-rows.toml](ledger-rows.toml); do not edit it by hand.

A row is done when tests that carry its number pass on every store that it applies to (S = SQLite, P = PostgreSQL,
R = Redis). A store in brackets has no test of the row yet. A row without a test is open.
"""


@dataclass(frozen=True, slots=True)
class Proof:
    """A test, for one of the rows that it names."""

    row: str
    file: Path
    stores: frozenset[str]


def proofs(root: Path) -> Iterator[Proof]:
    for file in sorted((root / "tests").rglob("test_*.py")):
        module = ast.parse(file.read_text(encoding="utf-8"))
        stores = stores_named_by(marks_of_all(module)) or stores_of(file.parent)
        for test in tests_in(module):
            if named := NUMBERS_OF_TEST.match(ast.get_docstring(test) or ""):
                for row in ROW.findall(named[0]):
                    yield Proof(row, file.relative_to(root), stores_named_by(test.decorator_list) or stores)


def tests_in(module: ast.Module) -> Iterator[Test]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def marks_of_all(module: ast.Module) -> list[ast.expr]:
    """What ``pytestmark`` at the head of a file says of all its tests."""
    values = [
        node.value
        for node in module.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["pytestmark"]
    ]
    return [mark for value in values for mark in (value.elts if isinstance(value, ast.List) else [value])]


def stores_named_by(marks: list[ast.expr]) -> frozenset[str]:
    """The stores to which ``only_on`` among these marks keeps a test; none if it is not there."""
    return frozenset(
        STORES[ast.literal_eval(store)]
        for mark in marks
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.only_on"
        for store in mark.args
    )


def stores_of(folder: Path) -> frozenset[str]:
    """The stores that tests of a folder run on: what it is called after, or STORES in its conftest.py, or SQLite."""
    if folder.name in STORES:
        return frozenset(STORES[folder.name])
    conftest = folder / "conftest.py"
    tree = ast.parse(conftest.read_text(encoding="utf-8")) if conftest.exists() else ast.Module([], [])
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and ast.unparse(node).startswith("STORES") and node.value:
            names: tuple[str, ...] = ast.literal_eval(node.value)
            return frozenset(STORES[name.split("-")[0]] for name in names)
    return frozenset("S")


def render(rows: dict[str, dict[str, str]], found: list[Proof]) -> str:
    applies, missing = rows["stores"], rows["missing"]
    sections = {title: section for title, section in rows.items() if title not in ("stores", "missing")}
    known = [row for section in sections.values() for row in section]
    proved = {proof.row for proof in found}
    if unknown := sorted(proved - set(known)):
        raise SystemExit(f"tests name rows that docs/ledger-rows.toml does not have: {', '.join(unknown)}")
    parts = [HEAD, summary(known, proved, missing)]
    for title, section in sections.items():
        lines = [f"## {title}\n", "| row | what users rely on | stores | tests |", "|---|---|---|---|"]
        for row, gist in section.items():
            own = [proof for proof in found if proof.row == row]
            still = f" *(still to come: {missing[row]})*" if row in missing else ""
            lines.append(f"| {row} | {gist}{still} | {stores(applies.get(row, 'SPR'), own)} | {tests(own)} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def summary(known: list[str], proved: set[str], missing: dict[str, str]) -> str:
    lines = {
        "In full": [row for row in known if row in proved and row not in missing],
        "In part": [row for row in known if row in proved and row in missing],
        "Open": [row for row in known if row not in proved],
    }
    return "\n".join(f"- {what} ({len(rows)}): {', '.join(rows)}" for what, rows in lines.items()) + "\n"


def stores(applying: str, own: list[Proof]) -> str:
    tested = frozenset[str]().union(*(proof.stores for proof in own))
    return " ".join(store if store in tested else f"({store})" for store in applying)


def tests(own: list[Proof]) -> str:
    counts = Counter(proof.file.as_posix() for proof in own)
    shown = [f"[{file.removeprefix('tests/')}](../{file}) ({count})" for file, count in sorted(counts.items())]
    return ", ".join(shown) or "open"


def main(root: Path, *, is_check: bool) -> int:
    rows = tomllib.loads((root / "docs" / "ledger-rows.toml").read_text(encoding="utf-8"))
    text = render(rows, list(proofs(root)))
    ledger = root / "docs" / "ledger.md"
    if not is_check:
        ledger.write_text(text, encoding="utf-8")
        return 0
    if ledger.exists() and ledger.read_text(encoding="utf-8") == text:
        return 0
    print("docs/ledger.md is not up to date; run: python scripts/ledger.py")
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent, is_check="--check" in sys.argv[1:]))

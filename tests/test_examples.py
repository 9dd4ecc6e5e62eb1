"""Every example in the documentation runs: those of docstrings, of the README and of the guides."""

from __future__ import annotations

import doctest
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

import windlass.testing
from windlass import Windlass

ROOT = Path(__file__).parents[1]

BLOCK = re.compile(r"^( *)```python\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
"""What is fenced as plain ``python`` runs; a block that must not has another word after the fence."""

NEEDS_AN_EXTRA = ("windlass.store.postgres", "windlass.store.redis")


def modules() -> Iterator[ModuleType]:
    yield windlass
    for found in pkgutil.walk_packages(windlass.__path__, "windlass."):
        if not found.name.startswith(NEEDS_AN_EXTRA) and not found.name.endswith("__main__"):
            yield import_module(found.name)


def examples() -> dict[str, doctest.DocTest]:
    """As a user would type them: code in a module of ours is never interrupted."""
    finder = doctest.DocTestFinder()
    elsewhere = {"__name__": "example"}
    found = [test for module in modules() for test in finder.find(module, module.__name__, extraglobs=elsewhere)]
    return {test.name: test for test in found if test.examples}


def documents() -> list[Path]:
    """The documents with examples in them; none where the README is not written yet."""
    return [
        path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if path.exists() and blocks(path)
    ]


def blocks(document: Path) -> list[str]:
    return [dedent(code) for _, code in BLOCK.findall(document.read_text(encoding="utf-8"))]


EXAMPLES = examples()


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WINDLASS_URL", raising=False)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_shows_what_happens(name: str) -> None:
    report: list[str] = []
    results = doctest.DocTestRunner().run(EXAMPLES[name], out=report.append)
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.name)
def test_the_examples_of_a_document_run(document: Path) -> None:
    """One after another, as a reader would type them: later ones use the names of earlier ones."""
    names: dict[str, object] = {"__name__": "__main__", "__file__": str(document)}
    try:
        for number, block in enumerate(blocks(document), start=1):
            exec(compile(block, f"{document.name}, example {number}", "exec"), names)  # noqa: S102  # our own
    finally:
        for value in names.values():
            if isinstance(value, Windlass):
                value.close(wait=False)


def test_the_examples_were_found() -> None:
    """A search that finds nothing would prove nothing."""
    assert {"windlass.app.Windlass", "windlass.testing.modes.inline", "windlass.core.retry.Retry"} <= EXAMPLES.keys()


def public() -> dict[str, Any]:
    """What users import and call."""
    named = {name: getattr(windlass, name) for name in windlass.__all__} | vars(windlass.testing)
    return {name: value for name, value in named.items() if callable(value)}


def test_every_public_name_is_documented() -> None:
    assert [name for name, value in public().items() if not value.__doc__] == []


def test_every_public_name_but_plain_values_and_errors_has_an_example() -> None:
    plain = {
        "ArchivedJob",
        "BusyKey",
        "ConcurrencyView",
        "CooldownView",
        "Fault",
        "FlowEdge",
        "FlowGroup",
        "FlowNode",
        "FigurePoint",
        "LimitView",
        "Progress",
        "StepView",
        "TaskRateView",
        "TimelineEntry",
        "WorkerStatus",
    }
    without = {name for name, value in public().items() if ">>>" not in value.__doc__}
    assert {name for name in without - plain if not issubclass(getattr(windlass, name), Exception)} == set()

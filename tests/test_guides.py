"""Every public name is in a guide: what nobody can read about is not offered."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import windlass
import windlass.testing

ROOT = Path(__file__).parents[1]

GUIDES = [
    path
    for path in sorted((ROOT / "docs").glob("*.md"))
    if path.stem not in ("decisions", "ledger", "how-it-works", "postgresql-layout")
]
"""What users read; not the pages about how it is made."""

CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]+`", re.MULTILINE | re.DOTALL)

NOT_FOR_USERS = {
    "aedit_if": "Schedule",
    "age": "Retention",
    "held": "Unique",
    "is_cooperative": "ActiveJob",
    "is_interruptible": "Task",
    "length_of_all": "Queue",
    "longest": "Cooldown",
    "max_wait_milliseconds": "Unique",
    "minds_stop": "Task",
    "of": "Job",
    "shortest": "Cooldown",
    "starts_paused": "Worker",
    "window_milliseconds": "Unique",
    "with_attempts": "Retry",
}
"""What one module of ours asks of a class in another."""


def public_names() -> dict[str, str]:
    """Each public name and where it is from; the async form of a method is told by the rule that it has an ``a``."""
    names = dict.fromkeys(windlass.__all__, "windlass") | dict.fromkeys(windlass.testing.__all__, "windlass.testing")
    for exported in (*windlass.__all__, *windlass.testing.__all__):
        value = getattr(windlass, exported, None) or getattr(windlass.testing, exported)
        if inspect.isclass(value) and not issubclass(value, BaseException):
            own = [name for name in members(value) if not name.startswith("_")]
            names |= {name: exported for name in own if not is_twin(name, own) and name not in NOT_FOR_USERS}
    return names


def members(kind: type) -> set[str]:
    """What a class of ours offers, without what it has from the standard library."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("windlass")]
    return {name for base in ours for name in (*vars(base), *getattr(base, "__annotations__", {}))}


def is_twin(name: str, own: list[str]) -> bool:
    return name.startswith("a") and name[1:] in own


@pytest.fixture(scope="module")
def words() -> set[str]:
    """All that is written as code in the guides."""
    code = [passage for guide in GUIDES for passage in CODE.findall(guide.read_text(encoding="utf-8"))]
    return {word for passage in code for word in re.findall(r"\w+", passage)}


@pytest.mark.parametrize(("name", "where"), sorted(public_names().items()), ids=lambda value: value)
def test_a_public_name_is_in_a_guide(name: str, where: str, words: set[str]) -> None:
    assert name in words, f"{name} ({where}) is in none of the guides"


def test_every_page_is_listed_in_the_guides() -> None:
    listed = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if f"]({page.name}" not in listed]
    assert [name for name in missing if name != "README.md"] == []


def test_the_first_screen_has_the_two_commands_of_a_fresh_clone() -> None:
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:30]
    commands = [line.removeprefix("$ ").split("  ")[0] for line in first_screen if line.startswith("$ ")]
    assert commands[:2] == ["make demo", "make test"]


def test_the_readme_says_what_is_not_there_yet() -> None:
    assert "**Not there yet:**" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_leads_on_by_a_short_path() -> None:
    read_on = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Read on")[2]
    steps = re.findall(r"^\d\. \[[^]]+\]\(([^)]+)\)", read_on, re.MULTILINE)
    assert steps == [
        "docs/start.md",
        "docs/README.md",
        "docs/operating.md",
        "docs/reference.md",
        "docs/how-it-works.md",
    ]

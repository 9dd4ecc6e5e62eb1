"""``windlass demo``: the whole thing in one command."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.program import Program

STORY = (
    r"charge order 7 +retrying +attempt 1 of 3 failed: the bank does not answer",
    r"charge order 7 +completed +at attempt 2",
    r"load prices.csv +failed +ValueError: prices.csv, line 3.* \(attempts\)",
    r"remind in 3 s +scheduled +delayed",
    r"remind in 3 s +completed",
    r"report +running +50%",
    r"5,000 of 5,000 completed",
    r"completed  5,009\nfailed         1\n",
    r"run +[\d,]+ jobs/s",
    r"windlass worker -A jobs",
)


def test_the_demo_tells_its_story_without_a_terminal(windlass: Program) -> None:
    """Plain lines, high priorities first."""
    told = windlass("demo")
    assert (told.code, told.error) == (0, "")
    assert not {char for char in told.out if char != "\n" and not char.isprintable()}
    for line in STORY:
        assert re.search(line, told.out), line
    running = re.findall(r"(resize photo \d) +running", told.out)
    assert running == ["resize photo 3", "resize photo 2", "resize photo 1"]


def test_the_demo_leaves_nothing_behind(windlass: Program) -> None:
    """At a terminal, for the sake of the other way of telling it."""
    before = set(windlass.folder.iterdir())
    shown = windlass.at_terminal("demo")
    assert shown.code == 0
    found = re.search(r"store: (\S+)", shown.out)
    assert found is not None
    store = Path(found[1])
    assert store.is_absolute()
    assert not store.parent.exists()
    assert set(windlass.folder.iterdir()) == before

"""``windlass demo``: the whole thing in one command, with a dashboard at its end."""

from __future__ import annotations

import re
from pathlib import Path
from signal import SIGINT
from time import monotonic

import httpx2

from tests.cli.program import DEADLINE, Program

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


def test_the_demo_tells_its_story_and_ends_with_a_live_dashboard(windlass: Program) -> None:
    """B20: plain lines, high priorities first; then an address, and jobs flow until Ctrl-C."""
    with windlass.start("demo", "--port=0") as demo:
        store = Path(demo.wait_for("store: ").split()[1])
        address = demo.wait_for("http://127.0.0.1:").split()[0]
        told = "\n".join(demo.shown)
        for line in STORY:
            assert re.search(line, told), line
        assert not {char for char in told if char != "\n" and not char.isprintable()}
        running = re.findall(r"(resize photo \d) +running", told)
        assert running == ["resize photo 3", "resize photo 2", "resize photo 1"]
        until = monotonic() + DEADLINE
        while (counts := httpx2.get(f"{address}/api/v1/overview").json()["counts"])["completed"] <= 5009:
            assert monotonic() < until, counts
        assert "capture_<wbr>payment" in httpx2.get(f"{address}/jobs").text
        demo.signal(SIGINT)
        assert demo.code() == 0
    assert not store.parent.exists()


def test_the_demo_ends_by_itself_and_leaves_nothing_behind(windlass: Program) -> None:
    """At a terminal, for the sake of the other way of telling it."""
    before = set(windlass.folder.iterdir())
    shown = windlass.at_terminal("demo", "--once")
    assert shown.code == 0
    found = re.search(r"store: (\S+)", shown.out)
    assert found is not None
    store = Path(found[1])
    assert store.is_absolute()
    assert not store.parent.exists()
    assert "http://" not in shown.out
    assert set(windlass.folder.iterdir()) == before

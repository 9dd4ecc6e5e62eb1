"""Many who enqueue the same at once (P7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.faults.names import MARKER, NOTE
from tests.faults.process import Process, Processes
from tests.faults.proxy import Proxy, Trap
from windlass import Windlass

RIVALS = 4
CALLS = 50
"""Of each."""


@dataclass(frozen=True, slots=True)
class Race:
    """What all rivals together say of their calls."""

    ids: list[str]
    """The jobs that they were given."""
    made: int
    """How many calls were told that they made one."""
    cut: int
    """How many calls ended without an answer, and were made again."""


def race(processes: Processes, kind: str) -> Race:
    rivals = [processes.start("rival", kind, str(CALLS)) for _ in range(RIVALS)]
    for rival in rivals:
        rival.await_line("ready")
    (processes.folder / "go").touch()
    ids = [id for rival in rivals for id in rival.await_line("ids").split()]
    return Race(ids=ids, made=_sum(rivals, "made"), cut=_sum(rivals, "cut"))


def _sum(rivals: list[Process], what: str) -> int:
    return sum(int(rival.await_line(what)) for rival in rivals)


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("kind", ["unique", "id"])
def test_rivals_that_enqueue_the_same_make_one_job(app: Windlass, processes: Processes, kind: str) -> None:
    """P7: 200 calls of four processes; one is told that it made the job, and all are given it."""
    said = race(processes, kind)
    [job] = app.jobs(limit=100)
    assert said == Race(ids=[job.id] * RIVALS, made=1, cut=0)


@pytest.mark.only_on("postgres", "redis")
@pytest.mark.varied_on("postgres")
@pytest.mark.parametrize("kind", ["unique", "id"])
def test_rivals_whose_calls_are_cut_make_one_job(
    app: Windlass, far_processes: Processes, proxy: Proxy, kind: str
) -> None:
    """P7: 200 calls that are made again until they are answered, all with the same job.

    The first ten are cut after a byte, the next fifty when the server has carried them out. More than can be under way
    at once: the one that made the job is among those, so that nobody ever heard of having made it.
    """
    before = [Trap(MARKER.encode(), in_reply=False, reach=1) for _ in range(10)]
    after = [Trap(MARKER.encode(), in_reply=False) for _ in range(50)]
    # A Redis server that has not met the script only says so, and that would be the answer that is lost.
    another: dict[str, Any] = {kind: "another"}
    known = app.enqueue_many([app.request(NOTE, (0,), **another)])
    proxy.lay(*before, *after)
    said = race(far_processes, kind)
    assert all(trap.sprung.is_set() for trap in [*before, *after])
    [job] = [job for job in app.jobs(limit=100) if job not in known]
    assert (said.ids, said.made) == ([job.id] * RIVALS, 0)
    assert said.cut >= len(before) + len(after)

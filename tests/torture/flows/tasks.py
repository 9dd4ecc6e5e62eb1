"""The tasks of flows: part of the app in ``tests.torture.tasks``."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from threading import Event, Thread
from typing import Any

from tests.torture.flows.setting import LONGEST_WAIT, event_of
from tests.torture.tasks import app, awitnessed, witness, witnessed
from tests.torture.witness import Kept, Passed, Sent, Stepped, now
from windlass import EventTimeout, Snooze, StoreUnavailable, current_job

_numbers = count()


def _note(parent: str, given: object) -> object:
    """Tell what came from a parent."""
    job, fence = current_job(), given.get("fence") if isinstance(given, dict) else None
    witness.write(Passed(job.id, job.fence, parent, fence, now()))
    return fence


@app.task(name="link")
@witnessed
def link(given: Any, parent: str) -> object:
    return _note(parent, given)


@app.task(name="alink")
@awitnessed
async def alink(given: Any, parent: str) -> object:
    return _note(parent, given)


@app.task(name="ilink", isolation="process")
@witnessed
def ilink(given: Any, parent: str) -> object:
    return _note(parent, given)


@app.task(name="join")
@witnessed
def join(parents: list[str], values: Any) -> object:
    return _note_all(parents, values)


@app.task(name="merge")
@witnessed
def merge(values: Any, parents: list[str]) -> object:
    """Gets the results of a group."""
    return _note_all(parents, values)


def _note_all(parents: list[str], values: Iterable[object]) -> int:
    return len([_note(parent, given) for parent, given in zip(parents, values, strict=True)])


def _step(name: str) -> str:
    """The code of a step: no two runs of it give the same."""
    job = current_job()
    token = f"{name}-{job.fence}-{next(_numbers)}"
    witness.write(Stepped(job.id, name, job.fence, token, now()))
    return token


def _send_soon(to: str, seconds: float) -> None:
    Event().wait(seconds)
    with suppress(StoreUnavailable):  # the rack sends it when all else has ended
        app.send(event_of(to), to)
        witness.write(Sent(to, to, now()))


def _wait(offset: float | None) -> object:
    """Wait for the event of this job. With an offset it is sent so many seconds from now, and the wait has no end."""
    job = current_job()
    if offset is None:
        return job.wait_for(event_of(job.id), timeout=LONGEST_WAIT)
    Thread(target=_send_soon, args=(job.id, offset), name="torture-send", daemon=True).start()
    return job.wait_for(event_of(job.id))


def _go_on(offset: float | None) -> object:
    """A step, a sleep, an event and another step, over as many runs as it takes."""
    job = current_job()

    def keep(step: str, value: object) -> None:
        witness.write(Kept(job.id, step, job.fence, str(value), now()))

    try:
        keep("first", job.step("first", _step, "first"))
        job.sleep(0.3)
        try:
            keep("event", _wait(offset))
        except EventTimeout:
            keep("timeout", None)
        keep("last", job.step("last", _step, "last"))
    except StoreUnavailable as error:
        raise Snooze(0.5) from error
    return "done"


@app.task(name="stepping")
@witnessed
def stepping(offset: float | None = None) -> object:
    return _go_on(offset)


@app.task(name="istepping", isolation="process")
@witnessed
def istepping(offset: float | None = None) -> object:
    return _go_on(offset)


@app.task(name="sending")
@witnessed
def sending(to: str) -> object:
    try:
        app.send(event_of(to), current_job().id)
    except StoreUnavailable as error:
        raise Snooze(0.3) from error
    witness.write(Sent(current_job().id, to, now()))
    return to

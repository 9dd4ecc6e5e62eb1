"""The tasks that are limited, and the schedules: part of the app in ``tests.torture.tasks``."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

from tests.torture.tasks import app, awitnessed, witness, witnessed
from tests.torture.traffic.setting import KEY_LIMITS, TIMETABLES, UPSTREAM, UPSTREAM_RATE
from tests.torture.witness import Fired, Token, now
from tests.torture.workload import Spice
from windlass import Snooze, StoreUnavailable, current_job

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

upstream = app.limit(UPSTREAM, rate=str(UPSTREAM_RATE), burst=UPSTREAM_RATE.burst)


def _key(key: int, **_: object) -> str:
    return f"key-{key}"


@app.task(name="keyed", concurrency=KEY_LIMITS["keyed"], concurrency_key=_key)
@witnessed
def keyed(key: int, seconds: float) -> object:
    Event().wait(seconds)
    return key


@app.task(name="ikeyed", isolation="process", concurrency=KEY_LIMITS["ikeyed"], concurrency_key=_key)
@witnessed
def ikeyed(key: int, seconds: float) -> object:
    Event().wait(seconds)
    return key


@app.task(name="apaired", concurrency=KEY_LIMITS["apaired"], concurrency_key=_key)
@awitnessed
async def apaired(key: int, seconds: float) -> object:
    await asyncio.sleep(seconds)
    return key


@app.task(name="metered")
@witnessed
def metered(number: int) -> object:
    """Waits for a token in place, or gives its slot back until there is one."""
    asked = now()
    try:
        upstream.acquire(snooze=number % 2 == 0)
    except StoreUnavailable as error:
        raise Snooze(0.5) from error
    witness.write(Token(current_job().id, asked, now()))
    return number


@app.task(name="ametered")
@awitnessed
async def ametered(number: int) -> object:
    asked = now()
    try:
        await upstream.aacquire()
    except StoreUnavailable as error:
        raise Snooze(0.5) from error
    witness.write(Token(current_job().id, asked, now()))
    return number


def take_token(caller: str) -> None:
    """Take a token outside tasks, if there is one."""
    asked = now()
    if upstream.try_acquire():
        witness.write(Token(caller, asked, now()))


@app.task(name="planned")
@witnessed
def planned(seconds: float) -> object:
    """A job of a schedule; tells for which slot it was made."""
    job = current_job()
    if job.schedule is not None and job.planned_at is not None:
        slot = (job.planned_at - _EPOCH) // timedelta(milliseconds=1)
        witness.write(Fired(job.id, job.schedule, slot, now()))
    Event().wait(seconds)
    return seconds


for table in TIMETABLES if Spice.SCHEDULES in os.environ["TORTURE_SPICES"].split(",") else ():
    given: Any = {"name": table.name, "args": (table.takes,), **table.options}
    timed = app.every(table.seconds, **given) if table.cron is None else app.cron(table.cron, **given)
    timed(planned)

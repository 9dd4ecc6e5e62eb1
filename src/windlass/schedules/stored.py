"""Reads schedules from the store, and stores those that this program declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.client.hints import nearest
from windlass.errors import ScheduleNotFound, StoreNotFound
from windlass.store.operation import Operation
from windlass.store.operations.schedules import changes, versions
from windlass.store.operations.schedules.definition import Definition
from windlass.store.operations.schedules.edits import new_schedule
from windlass.store.operations.schedules.records import Origin, ScheduleRecord

if TYPE_CHECKING:
    from windlass.client.client import Client


def definitions(client: Client) -> dict[str, Definition]:
    """What this program declares, by what its tasks and settings say at this moment."""
    return {one.name: one.definition(client.enqueuer) for one in client.schedules}


def found(client: Client, name: str) -> Operation[ScheduleRecord]:
    """The schedule of this name, also one that this program declares and no worker has stored yet."""
    declaration = client.schedules.find(name)
    try:
        page = yield from changes.schedules_by_name([name])
    except StoreNotFound:
        if declaration is None:
            raise
    else:
        if page.schedules:
            return page.schedules[0]
    if declaration is None:
        raise ScheduleNotFound(_unknown(client, name))
    return new_schedule(name, declaration.definition(client.enqueuer), now=client.now(), origin=Origin.CODE)


def all_schedules(client: Client, task: str | None) -> Operation[list[ScheduleRecord]]:
    """Every schedule, by name."""
    now = client.now()
    declared = definitions(client).items()
    records = {name: new_schedule(name, one, now=now, origin=Origin.CODE) for name, one in declared}
    try:
        records |= yield from _all_stored(task)
    except StoreNotFound:
        if not records:
            raise
    return [records[name] for name in sorted(records) if task in (None, records[name].task)]


def _all_stored(task: str | None) -> Operation[dict[str, ScheduleRecord]]:
    records: dict[str, ScheduleRecord] = {}
    after: str | None = ""
    while after is not None:
        page = yield from changes.schedules(task=task, after=after)
        records |= {record.name: record for record in page.schedules}
        after = page.next
    return records


def store_declared(client: Client, name: str) -> Operation[None]:
    """Store what this program declares, if it declares a schedule of this name that is not stored yet."""
    if client.schedules.find(name) is not None:
        page = yield from changes.schedules_by_name([name])
        if not page.schedules:
            yield from synchronise(client)


def declare_here(client: Client) -> Operation[str]:
    """Tell the store what this program declares; the name of this version of the code."""
    declared = definitions(client)
    version = versions.version_of(declared)
    yield from versions.declare(version, declared)
    return version


def synchronise(client: Client) -> Operation[None]:
    """Store what this program declares, as the leader does when a worker of it has started."""
    yield from declare_here(client)
    yield from versions.synchronise()


def _unknown(client: Client, name: str) -> str:
    known = tuple(one.name for one in client.schedules)
    return f"there is no schedule {name!r}" + (f"; {nearest(name, known)}" if known else "")

"""Reads, adds, changes and deletes schedules."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.schedules.zones import zone_data_version
from windlass.errors import ConfigError, ScheduleNotFound, StoreUnavailable
from windlass.store.answers import records
from windlass.store.operation import Answer, Call, Lane, Operation
from windlass.store.operations.schedules.definition import Definition
from windlass.store.operations.schedules.edits import Edit, new_schedule, recomputed, replanned
from windlass.store.operations.schedules.records import FireRecord, Origin, ScheduleRecord, ScheduleRun
from windlass.store.pages import PAGE, PAGE_BYTES, portions

_TRIES = 20
"""How often a change is made anew because others, most likely fires, wrote in between."""


class SchedulePage(Struct, frozen=True):
    """Schedules by name, and the store's time."""

    now: int
    schedules: list[ScheduleRecord]
    next: str | None
    """Where to go on; None at the end."""


class _Sized(Struct, frozen=True):
    record: ScheduleRecord
    size: int


def schedules(*, task: str | None = None, after: str = "", limit: int = PAGE) -> Operation[SchedulePage]:
    """The schedules behind the name ``after``, all or those of one task, in the order of their names.

    A page may be short, or empty, although there are more.
    """
    params = {"names": None, "task": task, "after": after, "limit": limit, "bytes": PAGE_BYTES}
    return _page((yield Call("schedule_list", params, Lane.READ)))


def schedules_by_name(names: Sequence[str]) -> Operation[SchedulePage]:
    """Those of these schedules that there are; at most one page."""
    params = {"names": sorted(set(names)), "task": None, "after": "", "limit": PAGE, "bytes": PAGE_BYTES}
    return _page((yield Call("schedule_list", params, Lane.READ)))


def every_schedule() -> Operation[list[ScheduleRecord]]:
    """All of them, page by page."""
    found: list[ScheduleRecord] = []
    after: str | None = ""
    while after is not None:
        page = yield from schedules(after=after)
        found += page.schedules
        after = page.next
    return found


def save(changed: Sequence[ScheduleRecord]) -> Operation[set[str]]:
    """Store schedules, each if it still has the revision that it was read with (0: if there is none of its name).

    The names of those that were stored. A repeat after a lost reply stores nothing: the revision has grown.
    """
    saved: set[str] = set()
    sized = [_Sized(record, len(record.definition) + len(record.declared or "")) for record in changed]
    for portion in portions(sized):
        answer = yield Call("schedule_save", {"schedules": [each.record for each in portion]})
        saved |= {name for (name,) in answer["saved"]}
    return saved


def add(name: str, definition: Definition, *, by: str | None = None) -> Operation[ScheduleRecord]:
    """Add a schedule by hand; ``ConfigError`` where the name is taken, unless by the very same one."""
    page = yield from schedules_by_name([name])
    record = replace(
        new_schedule(name, definition, now=page.now, origin=Origin.HAND), changed_at=page.now, changed_by=by
    )
    yield from save([record])
    found = yield from schedule(name)
    if (found.origin, found.definition) != (Origin.HAND, record.definition):
        raise ConfigError(f"there is a schedule {name!r} already; choose another name, or edit that one")
    return found


def schedule(name: str) -> Operation[ScheduleRecord]:
    """One schedule; ``ScheduleNotFound`` where there is none."""
    page = yield from schedules_by_name([name])
    if not page.schedules:
        raise ScheduleNotFound(f"there is no schedule {name!r}")
    return page.schedules[0]


def change(name: str, edit: Edit) -> Operation[ScheduleRecord]:
    """Change one schedule, from what it is when the change is stored; what it is then.

    Raises ``ScheduleNotFound``. An edit that changes nothing writes nothing.
    """
    for _ in range(_TRIES):
        page = yield from schedules_by_name([name])
        if not page.schedules:
            raise ScheduleNotFound(f"there is no schedule {name!r}")
        [record] = page.schedules
        changed = edit(record, page.now)
        if changed == record:
            return record
        if (yield from save([changed])):
            return replace(changed, revision=record.revision + 1)
    raise StoreUnavailable(f"schedule {name!r}: others changed it all the time; nothing was changed")


def recompute(*, other_zone_data: bool = False) -> Operation[list[str]]:
    """Compute the next slot of every schedule anew, or of those that were computed by other zone data than this process
    has; the names of those whose next slot has moved. What cannot be computed stays as it is.
    """
    moved: list[str] = []
    after: str | None = ""
    while after is not None:
        page = yield from schedules(after=after)
        moved += yield from _recompute([record for record in page.schedules if not other_zone_data or _is_old(record)])
        after = page.next
    return moved


def _is_old(record: ScheduleRecord) -> bool:
    return record.is_active and record.zone_data != zone_data_version()


def _recompute(page: Sequence[ScheduleRecord]) -> Operation[list[str]]:
    before = {record.name: record for record in page}
    changed: list[ScheduleRecord] = []
    for record in page:
        with suppress(ConfigError):
            changed.append(replanned(record))
    wanted = [record for record in changed if record != before[record.name]]
    saved = yield from save(wanted)
    for record in wanted:
        if record.name not in saved:  # a fire came first, say, or it was deleted
            with suppress(ScheduleNotFound):
                yield from change(record.name, recomputed())
    return [record.name for record in wanted if record.next_at != before[record.name].next_at]


def delete(name: str) -> Operation[bool]:
    """Delete a schedule and its ledger of fires; false where there is none."""
    answer = yield Call("schedule_delete", {"name": name})
    return bool(answer["deleted"])


def fires(name: str, *, before: int | None = None, limit: int = 50) -> Operation[list[FireRecord]]:
    """The ledger of fires of one schedule, the newest first; ``before`` is the planned instant where a page ends."""
    params = {"name": name, "before": 2**53 if before is None else before, "limit": limit}
    answer = yield Call("schedule_fires", params, Lane.READ)
    return records(answer["fires"], FireRecord)


def runs(names: Sequence[str], *, limit: int) -> Operation[dict[str, list[ScheduleRun]]]:
    """The newest ``limit`` slots of each of these schedules with the state of its job, the newest first; schedules that
    have not fired are left out.
    """
    answer = yield Call("schedule_runs", {"names": list(names), "limit": limit}, Lane.READ)
    found: dict[str, list[ScheduleRun]] = {}
    for run in records(answer["runs"], ScheduleRun):
        found.setdefault(run.schedule, []).append(run)
    return found


def _page(answer: Answer) -> SchedulePage:
    [(now, following)] = answer["page"]
    return SchedulePage(now, records(answer["schedules"], ScheduleRecord), following)

"""Which schedules the code declares, version by version, and which of the versions is in force.

Several versions of the code may run at once, during a deploy or a rollback. Each stores what it declares, once, and is
live while a process keeps it. Of a schedule that several live versions declare, the version that was first seen last is
in force: an older one that still runs does not fight it, and comes back into force when the newer one is gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

import msgspec
from msgspec import Struct

from windlass.errors import ConfigError
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.schedules.changes import every_schedule, save
from windlass.store.operations.schedules.definition import Definition, read_definition, write_definition
from windlass.store.operations.schedules.edits import Edit, declared_as, new_schedule, orphaned
from windlass.store.operations.schedules.records import CodeVersion, Origin, ScheduleRecord

LIVE_FOR = 60_000
"""Milliseconds after which a version is no longer live if no process keeps it."""
KEEP_EVERY = 20_000
"""Milliseconds between two calls of ``keep``."""
_WRITTEN_AFTER = 10_000
"""A call of ``keep`` writes nothing if another process kept the version so shortly before."""
_FORGOTTEN_AFTER = 30 * 24 * 3_600_000
"""Milliseconds after which a version that was not seen is removed."""


class Synchronised(Struct, frozen=True):
    """What a synchronisation has done, by the names of schedules."""

    added: list[str]
    changed: list[str]
    orphaned: list[str]
    refused: list[str]
    """Declared with something that this process does not understand; these stay as they are."""


def version_of(declared: Mapping[str, Definition]) -> str:
    """The name of a version of the code: the same wherever the same schedules are declared."""
    return blake2b(_written(declared).encode(), digest_size=10).hexdigest()


def declare(version: str, declared: Mapping[str, Definition]) -> Operation[None]:
    """Say what this version of the code declares. A repeat changes nothing but when it was last seen."""
    yield Call(
        "schedule_declare",
        {"version": version, "declared": _written(declared), "forgotten_after": _FORGOTTEN_AFTER},
    )


def keep(version: str) -> Operation[bool]:
    """Say that a process of this version lives; false where the version is not there (any more): declare it again."""
    answer = yield Call("schedule_keep", {"version": version, "written_after": _WRITTEN_AFTER})
    return bool(answer["kept"])


def versions() -> Operation[tuple[int, list[CodeVersion]]]:
    """The store's time, and every version in the order in which they were first seen."""
    answer = yield Call("schedule_versions", {}, Lane.READ)
    [(now,)] = answer["now"]
    return now, records(answer["versions"], CodeVersion)


def is_live(version: CodeVersion, now: int) -> bool:
    """Whether a process has kept it lately; a clock that jumps, in either direction, keeps none alive for long."""
    return abs(now - version.seen_at) < LIVE_FOR


def synchronise() -> Operation[Synchronised]:
    """Bring the schedules up to what the live versions of the code declare; decides nothing where none is live.

    What others change meanwhile is left alone: the next synchronisation sees it.
    """
    now, known = yield from versions()
    live = [version for version in known if is_live(version, now)]
    if not live:
        return Synchronised([], [], [], [])
    declared = _in_force(live)
    there = {record.name: record for record in (yield from every_schedule())}
    changes, refused = _changes(declared, there, now)
    saved = yield from save(list(changes.values()))
    orphans = {name for name in saved if changes[name].orphaned_at is not None}
    return Synchronised(
        added=sorted(saved - there.keys()),
        changed=sorted((saved & there.keys()) - orphans),
        orphaned=sorted(orphans),
        refused=sorted(refused),
    )


def _in_force(live: list[CodeVersion]) -> dict[str, str]:
    """The definition of each schedule that is declared, as text, by the rule above."""
    declared: dict[str, str] = {}
    for version in live:
        declared |= {name: bytes(text).decode() for name, text in _DECLARED.decode(version.declared).items()}
    return declared


def _changes(
    declared: Mapping[str, str], there: Mapping[str, ScheduleRecord], now: int
) -> tuple[dict[str, ScheduleRecord], list[str]]:
    changes: dict[str, ScheduleRecord] = {}
    refused: list[str] = []
    for name, text in declared.items():
        record = there.get(name)
        try:
            definition = read_definition(text)
            if record is None:
                changes[name] = new_schedule(name, definition, now=now, origin=Origin.CODE)
                continue
            _put(changes, record, declared_as(definition), now)
        except ConfigError:
            refused.append(name)
    for name, record in there.items():
        if name not in declared and record.origin is Origin.CODE and record.orphaned_at is None:
            _put(changes, record, orphaned(), now)
    return changes, refused


def _put(changes: dict[str, ScheduleRecord], record: ScheduleRecord, edit: Edit, now: int) -> None:
    changed = edit(record, now)
    if changed != record:
        changes[record.name] = changed


_DECLARED = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _written(declared: Mapping[str, Definition]) -> str:
    parts = {name: msgspec.Raw(write_definition(definition).encode()) for name, definition in sorted(declared.items())}
    return msgspec.json.encode(parts).decode()

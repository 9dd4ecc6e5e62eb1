"""Where a store contradicts itself, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec import ValidationError

from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import open_record
from windlass.core.records import JobRecord
from windlass.insight.diagnostics.unreadable import unreadable_texts
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.diagnostics import consistency
from windlass.store.operations.diagnostics.consistency import Damage
from windlass.store.pages import Found

LOST_FOR_GOOD = frozenset({"text", "no_text", "record"})
"""What cannot be set right: the text of a user, or the record itself, is damaged or gone."""

_SENTENCES = {
    "no_lease": "job {subject} runs under a lease that is not there",
    "left_lease": "job {subject} does not run, and has a lease",
    "no_gate": "job {subject} is blocked, and waits for nothing",
    "no_edges": "job {subject} waits for other jobs that have all ended",
    "stale_edge": "job {subject} still waits for job {detail}, which has ended or is not there",
    "lost_edge": "job {subject} waits for job {detail}, which does not know of it",
    "no_end": "job {subject} is {detail}, and has no time at which it ended",
    "no_tag": "job {subject} is not found by its tag {detail}",
    "no_text": "job {subject}: its {detail} is gone",
    "text": "job {subject}: its {detail} is damaged",
    "no_place": "job {subject} is {detail}, and is not found among those",
    "two_places": "job {subject} stands in several places: {detail}",
    "no_id": "job {subject} is not found by its id",
    "no_bit": "job {subject} is not found in lists",
    "record": "job {subject} cannot be read: {detail}",
    "no_queue": "queue {subject} has jobs and is not known, so that workers of all queues leave it out",
    "count": "the counter of jobs that are {subject} is wrong: {detail}",
    "limit": "the counter of the limit {subject} is wrong: {detail}",
    "key": "the counter of a concurrency key is wrong: {detail}",
    "stray_tag": "the tag {subject} points at a job that is not there",
    "stray_edge": "a job that is not there waits for another",
    "stray_step": "the step {subject} belongs to a job that is not there",
    "stray_payload": "a payload of {subject} bytes belongs to a job that is not there",
    "stray_member": "a group has members, but its callback is not there",
    "stray_finished": "an ending ({subject}) belongs to a job that is not there",
    "stray_blocked": "a job that is not there waits at {subject}",
    "stray_ready": "queue {subject} has a place for a job that is not there, or stands elsewhere",
    "stray_id": "the id {subject} leads to no job",
    "stray_bit": "job {subject} is found by its id only, and not in lists",
    "stray_key": "the unique key {subject} is held by a job that is not there",
}


def sentence(damage: Damage) -> str:
    """What is wrong, for people."""
    form = _SENTENCES.get(damage.kind, "{subject}: {detail}")
    return form.format(subject=damage.subject, detail=damage.detail)


@dataclass(frozen=True, slots=True)
class Consistency:
    """What a check of a store found."""

    damages: list[Damage]
    """What two looks, a moment apart, have both found."""
    examined: int
    """How many jobs were looked at."""
    mended: frozenset[Damage] = frozenset()
    """Those that a repair has set right."""

    @property
    def left(self) -> list[Damage]:
        """What is still wrong."""
        return [one for one in self.damages if one not in self.mended]


def examine(encryption: Encryption) -> Operation[tuple[list[Damage], int]]:
    """Walk through all jobs, in pages, and compare counters and references; how many jobs there were. Only reads.

    Encrypted texts whose key is at hand are opened: one that was changed, or belongs to another job, is damaged.
    """
    damages: list[Damage] = []
    examined, after = 0, 0
    while True:
        page = yield from consistency.walk(after)
        damages += yield from _of_jobs(page.stops, encryption)
        examined += len(page.stops)
        if page.next is None:
            break
        after = page.next
    damages += yield from consistency.damaged_counters()
    damages += yield from consistency.strays()
    return damages, examined


def look_again(damages: Sequence[Damage], encryption: Encryption) -> Operation[list[Damage]]:
    """Those of them that are still there: a job may have moved between two reads of the first look."""
    known = {one.seq: one.subject for one in damages if one.seq and not one.kind.startswith("stray_")}
    found: list[Damage] = []
    if known:
        found += yield from _of_jobs([Found(seq, id, 0) for seq, id in known.items()], encryption)
    if any(not one.seq and not one.kind.startswith("stray_") for one in damages):
        found += yield from consistency.damaged_counters()
    if any(one.kind.startswith("stray_") for one in damages):
        found += yield from consistency.strays()
    still = {(one.kind, one.subject, one.detail, one.seq) for one in found}
    return [one for one in damages if (one.kind, one.subject, one.detail, one.seq) in still]


def _of_jobs(jobs: Sequence[Found], encryption: Encryption) -> Operation[list[Damage]]:
    if not jobs:
        return []
    damages = yield from consistency.damaged_jobs(jobs)
    texts = yield from _damaged_texts(jobs, encryption)
    unreadable = {one.seq for one in texts if one.kind == "record"}  # of which nothing else can be said, or repaired
    return [*(one for one in damages if one.seq not in unreadable), *texts]


def _damaged_texts(jobs: Sequence[Found], encryption: Encryption) -> Operation[list[Damage]]:
    """Of these jobs; a record that cannot be read at all does not keep the others from being looked at."""
    try:
        whole = yield from queries.read_whole(jobs)
    except ValidationError as error:
        if len(jobs) == 1:
            return [Damage("record", jobs[0].id, str(error), jobs[0].seq)]
        half = len(jobs) // 2
        first = yield from _damaged_texts(jobs[:half], encryption)
        second = yield from _damaged_texts(jobs[half:], encryption)
        return [*first, *second]
    return _texts(open_record(encryption, job) for job in whole)


def _texts(jobs: Iterable[JobRecord]) -> list[Damage]:
    return [Damage("text", job.id, name, job.seq) for job in jobs for name in unreadable_texts(job)]

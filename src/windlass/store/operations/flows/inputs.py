"""Puts the results of parents into the calls of claimed jobs that want them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from windlass.core.codec.types.parent_failed import ParentFailed, failure_json
from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import open_claimed, open_ended
from windlass.core.encryption.text import is_encrypted
from windlass.core.fault import read_faults
from windlass.core.flows.inputs import Inputs, filled, inputs_of, list_of, refused, value_of_result
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.errors import NoKey, PayloadError, StoreUnavailable
from windlass.store.operation import Operation
from windlass.store.operations.flows.edges import parents
from windlass.store.operations.queries import FinishedJob, awaited

log = logging.getLogger("windlass.store")

_IDS_AT_ONCE = 1000

MOST_BYTES = 64 * 2**20
"""How many bytes of results those jobs of one claim get together that have several parents."""


def fill_in(claimed: list[Claimed], encryption: Encryption) -> Operation[list[Claimed]]:
    """The claimed jobs, opened, and with results of their parents where they get some: one read for all that get one.

    Where the results cannot be read, or are too much for this claim, the job stays as it is, and its worker puts it
    off: it was claimed, so nothing is raised here.
    """
    if encryption.is_on:
        claimed = [open_claimed(encryption, job) for job in claimed]
    wanted = [(job, inputs) for job in claimed if (inputs := inputs_of(job.payload)) is not None]
    if not wanted:
        return claimed
    done: dict[int, Claimed] = {}
    try:
        yield from _fill_with_one([one for one in wanted if one[1].parent is not None], done, encryption)
        yield from _fill_with_several([one for one in wanted if one[1].parent is None], done, encryption)
    except StoreUnavailable as error:
        left = len(wanted) - len(done)
        log.warning("the results that %s claimed jobs get from others could not be read: %s", left, error)
    return [done.get(job.seq, job) for job in claimed]


def _fill_with_one(
    wanted: Sequence[tuple[Claimed, Inputs]], done: dict[int, Claimed], encryption: Encryption
) -> Operation[None]:
    """Fill in calls that get one result each. That needs no limit of bytes: a claim takes no more jobs than fit into
    memory with a result each.
    """
    found = (yield from _endings([inputs.parent or "" for _, inputs in wanted], encryption)) or {}
    for job, inputs in wanted:
        parent = inputs.parent or ""
        if parent in found and found[parent].state is None:
            parent = yield from _shared(job, parent, found, encryption)
        done[job.seq] = replace(job, payload=_with_values(job, inputs, [parent], found))


def _shared(job: Claimed, named: str, found: dict[str, FinishedJob], encryption: Encryption) -> Operation[str]:
    """The parent of a job whose parent was never stored: an equal job was there already, and that is the one it
    waited for. The id that is named if there is no such job.
    """
    ids = yield from _all_parents(job.seq)
    if len(ids) != 1 or ids[0] in ("", named):
        return named
    found.update((yield from _endings(ids, encryption)) or {})
    return ids[0]


def _fill_with_several(
    wanted: Sequence[tuple[Claimed, Inputs]], done: dict[int, Claimed], encryption: Encryption
) -> Operation[None]:
    """Fill in calls that get any number of results each. If the results of one job alone are too large, its call is
    rejected; if they are too large beside those of other jobs, the job is left to a later claim.
    """
    room = MOST_BYTES
    for job, inputs in wanted:
        ids = yield from _all_parents(job.seq)
        found = yield from _endings(ids, encryption, most=room)
        if found is not None:
            room -= sum(map(_size, found.values()))
            done[job.seq] = replace(job, payload=_with_values(job, inputs, ids, found))
        elif room == MOST_BYTES:
            done[job.seq] = replace(job, payload=refused(_TOO_MUCH.format(len(ids))))


_TOO_MUCH = (
    "the results of the {} jobs that it waited for hold more than 64 MiB together; let them return where their data "
    "is, or gather them in several jobs"
)


def _with_values(job: Claimed, inputs: Inputs, ids: Sequence[str], found: Mapping[str, FinishedJob]) -> str:
    try:
        values = [_value(id, found.get(id)) for id in ids]
    except NoKey:
        return _without_key(found)  # this job waits for a worker that has the key
    except PayloadError as error:
        log.error("job %s gets a result of another job that cannot be read: %s", job.id, error)
        return ""  # no call: this job fails as undecodable, and no other does
    return filled(job.payload, values[0] if inputs.parent is not None else list_of(values))


def _without_key(found: Mapping[str, FinishedJob]) -> str:
    """A result that cannot be opened here, in the place of the call: its reader says which key is missing."""
    return next(job.result for job in found.values() if job.result is not None and is_encrypted(job.result))


def _value(id: str, ended: FinishedJob | None) -> bytes:
    """The result of a parent, or what stands for it where there is none."""
    if ended is not None and ended.state is State.COMPLETED:
        return value_of_result(ended.result)
    return failure_json(failure_of(id, ended))


def failure_of(id: str, ended: FinishedJob | None) -> ParentFailed:
    """What stands for the result of a job that did not complete."""
    if ended is None:
        # The job was retried by hand before the one that gets its result had ended.
        return ParentFailed(id, state="unfinished" if id else "deleted")
    if ended.state is None:
        return ParentFailed(id, state="deleted")
    faults = read_faults(ended.errors).faults
    last = faults[-1] if faults and ended.state is State.FAILED else None
    return ParentFailed(
        id,
        state=ended.state.value,
        reason=ended.reason,
        type=None if last is None else last.type,
        message=None if last is None else last.message,
    )


def _all_parents(seq: int) -> Operation[list[str]]:
    """The ids of a job's parents, in order; an empty one for a job that is gone."""
    ids: list[str] = []
    after = -1
    while page := (yield from parents(seq, after=after)):
        ids += [parent.id or "" for parent in page]
        after = page[-1].place
    return ids


def _size(ended: FinishedJob) -> int:
    return len(ended.result or "") + len(ended.errors or "")


def _endings(
    ids: Iterable[str], encryption: Encryption, *, most: int | None = None
) -> Operation[dict[str, FinishedJob] | None]:
    """How these jobs ended, page by page; one that has not ended is not among them. None if that is more than so many
    bytes.
    """
    size = 0
    found: dict[str, FinishedJob] = {}
    every = list(dict.fromkeys(id for id in ids if id))
    for first in range(0, len(every), _IDS_AT_ONCE):
        left = every[first : first + _IDS_AT_ONCE]
        while left:
            page = yield from awaited(left)
            found.update((job.id, open_ended(encryption, job)) for job in page)
            size += sum(map(_size, page))
            if most is not None and size > most:
                return None
            left = [id for id in left if id not in found] if page else []
    return found

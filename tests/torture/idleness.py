"""What ought to be idle when all jobs have ended: locks, transactions, threads, files, memory, slots of workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from tests.faults.process import Footprint, footprint_of
from tests.torture.finding import Finding
from tests.torture.fleet import SLOTS, Slot
from tests.torture.ground import Ground
from windlass import Windlass
from windlass.task import Request

_MORE_THREADS = 12
"""Beside the slots of a worker: connections and looks that are started when they are first needed."""
_MORE_FILES = 60
_MORE_MEMORY = 250 << 20


def interrupts(app: Windlass, slot: Slot) -> list[Request]:
    """Jobs that run into their time limit in every place: those that follow meet what an interrupt leaves behind.

    The rack's own app does not know the task, so it says what the limit is.
    """
    return [
        app.request("tired", id=f"tired-{slot.name}-{number}", queue=slot.own_queue, timeout=0.4, attempts=2)
        for number in range(slot.concurrency * (slot.processes or 1))
    ]


def wave(app: Windlass, slot: Slot, name: str) -> list[Request]:
    """Jobs for one slot alone: all of its places at once, twice, in threads, on the loop and in children."""
    kinds = [("slow", (0.1,), 2 * slot.concurrency), ("aslow", (0.1,), 2 * slot.concurrency), ("iparent", (1,), 2)]
    return [
        app.request(task, arguments, id=f"{task}-{name}-{slot.name}-{number}", queue=slot.own_queue)
        for task, arguments, count in kinds
        for number in range(count)
    ]


def footprints(pids: list[int]) -> dict[int, Footprint]:
    found = {}
    for pid in pids:
        with suppress(OSError):
            found[pid] = footprint_of(pid)
    return found


def grown(early: Mapping[int, Footprint], late: Mapping[int, Footprint]) -> Iterator[Finding]:
    """I9: a worker uses at the end what it used at the start, and no more."""
    slots = max(slot.concurrency for slot in SLOTS)
    for pid in early.keys() & late.keys():
        before, after = early[pid], late[pid]
        if after.threads > before.threads + slots + _MORE_THREADS:
            yield Finding("I9", f"worker {pid} has {after.threads} threads, {before.threads} at first")
        if after.files > before.files + _MORE_FILES:
            yield Finding("I9", f"worker {pid} has {after.files} files open, {before.files} at first")
        if after.memory > before.memory + _MORE_MEMORY:
            yield Finding("I9", f"worker {pid} has {after.memory >> 20} MiB, {before.memory >> 20} at first")


def held(ground: Ground) -> Iterator[Finding]:
    """I9: nothing is held by a process that has nothing to do."""
    for what in ground.held():
        yield Finding("I9", what)

"""The flows of the rack: what callers enqueue in one call. The ids of a flow are alike up to the last dot."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from windlass import Windlass, chain, group
from windlass.task import Request

CHAIN, DIAMOND, GROUP, STEPS, RACE = "chain", "diamond", "group", "steps", "race"
KINDS = (CHAIN, DIAMOND, GROUP, STEPS, RACE)
RACES = 4
"""Jobs that come at once, each of which is sent its event as it begins to wait for it."""
LINKS = ("link", "alink", "ilink")
"""Tasks that get the result of one job."""
STEPPING = ("stepping", "istepping")
"""Tasks with durable steps, which come back by themselves."""
LONGEST_WAIT = 10.0
"""Seconds for which a job waits for its event: the one that sends it may be cancelled."""
_SLOW = (("slow", 0.3), ("slow", 1.0), ("aslow", 0.6))
_OFFSETS = (0.0, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032)
"""Seconds after which a job is sent the event that it begins to wait for: before, while it goes to sleep, after."""


def event_of(id: str) -> str:
    return f"go-{id}"


def flow_of(id: str) -> str:
    """What the ids of one flow have in common."""
    return id.rpartition("@")[2].partition(".")[0]


def requests(app: Windlass, kind: str, name: str, draw: Random, *, queue: Callable[[], str]) -> list[Request]:
    """The jobs of one flow."""

    def job(task: str, number: int, *args: object, **options: Any) -> Request:
        return app.request(task, args, id=f"{task}@{name}.{number}", queue=queue(), **options)

    def parent(number: int, **options: Any) -> Request:
        """One of several that a job waits for; they end at different times."""
        task, argument = draw.choice((("quick", number), ("aquick", number), *_SLOW))
        return job(task, number, argument, **options)

    first = job(draw.choice(("quick", "aquick", "iquick")), 0, 7)
    match kind:
        case "chain":
            jobs = [first]
            for number in range(1, draw.randint(2, 4)):
                jobs.append(job(draw.choice(LINKS), number, _id(jobs[-1])))
            return chain(*jobs).requests
        case "diamond":
            middle = [parent(number, after=[first]) for number in range(1, 4)]
            last = job("join", 4, [_id(one) for one in middle], after=middle, into="values")
            return [first, *middle, last]
        case "group":
            members = [parent(number) for number in range(6)]
            return group(members).then(job("merge", 6, [_id(one) for one in members])).plan().requests
        case "race":
            return [job(draw.choice(STEPPING), number, draw.choice(_OFFSETS)) for number in range(RACES)]
        case _:
            waiting = job(draw.choice(STEPPING), 0)
            return [waiting, job("sending", 1, _id(waiting), delay=draw.choice((0.1, 0.5, 1.5)))]


def _id(request: Request) -> str:
    return str(request.options.id)

"""The flows of the rack: what callers enqueue in one call. The ids of a flow are alike up to the last dot."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from windlass import Windlass, chain, group
from windlass.task import Request

CHAIN, DIAMOND, GROUP, STEPS = "chain", "diamond", "group", "steps"
KINDS = (CHAIN, DIAMOND, GROUP, STEPS)
LINKS = ("link", "alink", "ilink")
"""Tasks that get the result of one job."""
STEPPING = ("stepping", "istepping")
"""Tasks with durable steps, which come back by themselves."""
LONGEST_WAIT = 10.0
"""Seconds for which a job waits for its event: the one that sends it may be cancelled."""


def event_of(id: str) -> str:
    return f"go-{id}"


def flow_of(id: str) -> str:
    """What the ids of one flow have in common."""
    return id.rpartition("@")[2].partition(".")[0]


def requests(app: Windlass, kind: str, name: str, draw: Random, *, queue: Callable[[], str]) -> list[Request]:
    """The jobs of one flow."""

    def job(task: str, number: int, *args: object, **options: Any) -> Request:
        return app.request(task, args, id=f"{task}@{name}.{number}", queue=queue(), **options)

    first = job(draw.choice(("quick", "aquick", "iquick")), 0, 7)
    match kind:
        case "chain":
            jobs = [first]
            for number in range(1, draw.randint(2, 4)):
                jobs.append(job(draw.choice(LINKS), number, _id(jobs[-1])))
            return chain(*jobs).requests
        case "diamond":
            middle = [job("quick", number, number, after=[first]) for number in range(1, 4)]
            last = job("join", 4, [_id(one) for one in middle], after=middle, into="values")
            return [first, *middle, last]
        case "group":
            members = [job(draw.choice(("quick", "aquick")), number, number) for number in range(6)]
            return group(members).then(job("merge", 6, [_id(one) for one in members])).plan().requests
        case _:
            waiting = job(draw.choice(STEPPING), 0)
            return [waiting, job("sending", 1, _id(waiting), delay=draw.choice((0.1, 0.5, 1.5)))]


def _id(request: Request) -> str:
    return str(request.options.id)

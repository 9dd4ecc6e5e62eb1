"""The waiting jobs of a store against the code at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windlass.core.codec import NewerFormat
from windlass.core.flows.inputs import has_inputs
from windlass.core.records import JobRecord
from windlass.core.state import WAITING, State
from windlass.errors import PayloadError
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.queries import Filter
from windlass.store.pages import PAGE
from windlass.task import COMMAND

if TYPE_CHECKING:
    from windlass.client.client import Client

MOST = 1_000_000
"""How many waiting jobs are looked at."""

_WAITING = (*(state for state in State if state in WAITING),)


@dataclass(slots=True)
class Misfit:
    """Waiting jobs of one task that the code at hand cannot run, for one reason."""

    task: str
    kind: str
    """``unknown_task``, ``arguments`` (they no longer fit) or ``newer_format``."""
    text: str
    count: int = 0
    sample: str = ""
    """The id of the newest of them."""


@dataclass(slots=True)
class CodeCheck:
    """What the look found."""

    misfits: list[Misfit] = field(default_factory=list)
    examined: int = 0
    """How many waiting jobs were looked at, the newest first."""
    is_whole: bool = True
    """Whether those were all."""


def check_code(client: Client, *, most: int = MOST) -> Operation[CodeCheck]:
    """Look at every job that waits: does this code know its task, and do its arguments fit? Runs nothing, changes
    nothing.
    """
    found: dict[tuple[str, str, str], Misfit] = {}
    result = CodeCheck()
    cursor: int | None = None
    while result.examined < most:
        page = yield from queries.matching(Filter(states=_WAITING), limit=PAGE, cursor=cursor)
        whole = yield from queries.read_whole(page.jobs)
        _judge_all(client, whole, found)
        result.examined += len(page.jobs)
        cursor = page.next
        if cursor is None:
            break
    result.is_whole = cursor is None
    result.misfits = sorted(found.values(), key=lambda misfit: (-misfit.count, misfit.task, misfit.kind))
    return result


def _judge_all(client: Client, jobs: Sequence[JobRecord], found: dict[tuple[str, str, str], Misfit]) -> None:
    for job in jobs:
        misfit = _judge(client, job)
        if misfit is not None:
            known = found.setdefault((misfit.task, misfit.kind, misfit.text), misfit)
            known.count += 1
            known.sample = known.sample or job.id


def _judge(client: Client, job: JobRecord) -> Misfit | None:
    if job.task == COMMAND:
        return None
    task = client.registry.find(job.task)
    if task is None:
        return Misfit(job.task, "unknown_task", "the code does not know this task")
    if has_inputs(job.payload):
        # What it gets from other jobs is not there yet.
        return None
    try:
        args, kwargs = client.codec.decode_call(task.signature, job.payload)
        task.shape.bind(job.task, args, kwargs)
    except NewerFormat as error:
        return Misfit(job.task, "newer_format", str(error))
    except (PayloadError, TypeError) as error:
        return Misfit(job.task, "arguments", str(error))
    return None

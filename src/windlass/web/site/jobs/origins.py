"""Which jobs were made by hand out of which: a job that is run again with other arguments is a new job, and both are
linked by a tag, which stores find by an index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from windlass.core import validate
from windlass.errors import ConfigError
from windlass.job import Job
from windlass.store.operation import Operation
from windlass.store.operations.queries import Filter, matching

_TAG = "rerun"
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Relation:
    """Another job, and what it is to this one."""

    name: str
    id: str


def origin_tag(id: str) -> str | None:
    """The tag of jobs that were made out of this one; None for an id that no tag can hold."""
    try:
        return validate.job_tag(f"{_TAG}={id}")
    except ConfigError:
        return None


def relations_of(job: Job[Any]) -> Operation[list[Relation]]:
    """The job that this one was made out of, and the newest that were made out of it."""
    origins = [tag.partition("=")[2] for tag in job.tags if tag.startswith(f"{_TAG}=")]
    found = [Relation("Run again from", id) for id in origins[:_SHOWN]]
    tag = origin_tag(job.id)
    if tag is not None:
        page = yield from matching(Filter(tag=tag), limit=_SHOWN)
        found += [Relation("Run again as", other.id) for other in page.jobs]
    return found

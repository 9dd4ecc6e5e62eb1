"""Short ids: any unique beginning of an id is accepted."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from windlass.app import Windlass
from windlass.cli.output import HumanOutput, Output
from windlass.errors import JobNotFound
from windlass.job import Job
from windlass.store.operations import queries

_OURS = re.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}")
_SHORTEST = 8
_NAMED = 5
"""How many ids an error names."""


def whole_id(app: Windlass, given: str) -> str:
    """The id that was given, or the only one that begins so; ``JobNotFound`` when there is none, or more than one."""
    try:
        return app.job(given).id
    except JobNotFound:
        found = app.client.session.run(queries.ids_with_prefix(given, limit=_NAMED + 1)) if given else []
    if found is None:
        raise JobNotFound(f"no job has the id {given!r}, and there are too many to look for one that begins so")
    if not found:
        raise JobNotFound(f"no job has the id {given!r}, and none begins so")
    if len(found) > 1:
        more = " and more" if len(found) > _NAMED else ""
        raise JobNotFound(f"several jobs have ids that begin with {given!r}: {', '.join(found[:_NAMED])}{more}")
    return found[0]


def short_ids(app: Windlass, jobs: Sequence[Job[Any]], out: Output) -> dict[str, str]:
    """The short ids to show at a terminal, by id: the unique beginnings, where they are shorter."""
    if not (isinstance(out, HumanOutput) and sys.stdout.isatty() and jobs):
        return {}
    starts = _distinct_starts([job.id for job in jobs])
    seqs = {job.id: job.record.seq for job in jobs}
    shared = app.client.session.run(queries.ambiguous_prefixes([(start, seqs[id]) for id, start in starts.items()]))
    return {id: start for id, start in starts.items() if start not in shared}


def _distinct_starts(ids: Sequence[str]) -> dict[str, str]:
    """The shortest unique beginning of each generated id, if it is shorter than the id. Ids that users chose stay
    whole.

    >>> _distinct_starts(["01M7GX1PWHFE5T02DHDS5V95AZ", "01M7GX1SWMCJS9MDDHRBVNT6E1", "mail-of-the-day"])
    {'01M7GX1PWHFE5T02DHDS5V95AZ': '01M7GX1P', '01M7GX1SWMCJS9MDDHRBVNT6E1': '01M7GX1S'}
    """
    ordered = sorted(set(ids))
    starts: dict[str, str] = {}
    for before, id, after in zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False):
        needed = max(_SHORTEST, 1 + max(_in_common(before, id), _in_common(id, after)))
        if needed < len(id) and _OURS.fullmatch(id):
            starts[id] = id[:needed]
    return starts


def _in_common(one: str, other: str) -> int:
    return next(
        (number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )

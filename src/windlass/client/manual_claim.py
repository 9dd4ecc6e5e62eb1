"""Takes jobs for a caller that runs them by itself: ``app.claim``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.core import validate
from windlass.core.decide import decide
from windlass.core.outcome import Interrupted
from windlass.core.records import Claimed
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration
from windlass.store.operation import Operation
from windlass.store.operations import jobs
from windlass.store.operations.cycle import finish
from windlass.store.operations.manual_claim import claim_many
from windlass.store.operations.rescue import rescue

if TYPE_CHECKING:
    from windlass.client.client import Client


def claim(client: Client, limit: int, *, queues: Sequence[str], ttl: int) -> Operation[list[Claimed]]:
    """Take up to ``limit`` jobs for ``ttl`` milliseconds, of these queues or else of all that tasks name."""
    validate.whole_number(limit, "claim: limit", least=1, most=10_000)
    named = validate.texts(queues, "claim: queues", example="['mail']")
    wanted = [validate.queue_name(queue) for queue in named] or client.known_queues
    # There may be no worker anywhere: a manual claim promotes and rescues too. Unlike the duties it does not wait
    # after a step of the store's clock: a program that is frozen between two claims would see one each time, and
    # would never rescue anybody.
    yield from jobs.promote(by=client.actor)
    yield from rescue(by=client.actor, now=client.now)
    claimed = yield from claim_many(limit, queues=wanted, worker=client.actor, token=client.ids.next(), ttl=ttl)
    return claimed


def release(client: Client, claimed: Sequence[Claimed]) -> Operation[object]:
    """Give jobs back, uncharged."""
    endings = [decide(job, Interrupted(), retry=client.retry) for job in claimed]
    return finish(endings, worker=client.actor)


def lease_milliseconds(value: Duration, name: str) -> int:
    """How long a claim holds; ``name`` is the option that says so."""
    ttl = milliseconds(value, name)
    if ttl == 0:
        raise ConfigError(f"{name} must be longer than 0, or the jobs would be taken away at once")
    return ttl

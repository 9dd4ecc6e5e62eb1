"""Claims jobs, or waits for some; gives them back when the client is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request

from windlass import clock
from windlass.claimed_job import claim, release
from windlass.client.client import Client
from windlass.core.records import Claimed
from windlass.store.operation import Operation
from windlass.store.operations.queries import next_due
from windlass.web.leases.waiting_claims import Waiter, waiting_claims_of

_LOOK_AGAIN = 5.0
"""Seconds after which a claim that waits looks again without news."""
_SHORTEST = 0.05


@dataclass(frozen=True, slots=True)
class Claim:
    """What a caller wants."""

    limit: int
    queues: Sequence[str]
    ttl: int
    worker: str
    token: str | None

    def operation(self, client: Client) -> Operation[list[Claimed]]:
        """One try. It promotes what is due and rescues what expired: there may be no worker anywhere."""
        return claim(client, self.limit, queues=self.queues, ttl=self.ttl, worker=self.worker, token=self.token)


class ClientGone(Exception):
    """The client went away before it was answered."""


async def claim_while_connected(client: Client, request: Request, wanted: Claim, *, wait: float) -> list[Claimed]:
    """The jobs, or none when the time is over; ``ClientGone`` when the client does not wait any more. What was claimed
    and cannot be handed out goes back at once.
    """
    claiming = asyncio.create_task(_claimed(client, wanted, wait=wait))
    gone = asyncio.create_task(_until_gone(request))
    try:
        await asyncio.wait({claiming, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not gone.done():
            return claiming.result()
        raise ClientGone
    except (ClientGone, asyncio.CancelledError):
        await _give_back(client, claiming)
        raise
    finally:
        gone.cancel()


async def _give_back(client: Client, claiming: asyncio.Task[list[Claimed]]) -> None:
    """Have what was claimed, or is being claimed, given back; by store threads, which closing the app waits for."""
    if claiming.cancel():
        # A call under way is undone when it comes back, but only once the task has heard that it is cancelled: an app
        # that is closed before that has no thread left to undo it.
        await asyncio.wait({claiming})
    if not claiming.cancelled() and claiming.exception() is None:
        release_later(client, claiming.result())


def release_later(client: Client, claimed: Sequence[Claimed]) -> None:
    """Have jobs that cannot be handed out given back, uncharged."""
    if claimed:
        client.session.run_later(release(client, claimed))


async def _claimed(client: Client, wanted: Claim, *, wait: float) -> list[Claimed]:
    until = clock.monotonic() + wait
    found = await _try(client, wanted)
    if found or wait <= 0:
        return found
    try:
        async with waiting_claims_of(client.session).waiter(frozenset(wanted.queues or client.known_queues)) as waiter:
            found = await _found_until(until, client, wanted, waiter)
    except BaseException:
        release_later(client, found)  # leaving the block takes a while, in which the client may go
        raise
    return found


async def _found_until(until: float, client: Client, wanted: Claim, waiter: Waiter) -> list[Claimed]:
    while True:
        waiter.clear()
        if found := await _try(client, wanted):
            return found
        left = until - clock.monotonic()
        if left <= 0:
            return []
        await waiter.wait(min(left, await _pause(client)))


async def _try(client: Client, wanted: Claim) -> list[Claimed]:
    return await client.session.arun_or_undo(wanted.operation(client), partial(release, client))


async def _pause(client: Client) -> float:
    """Seconds until a job is due or a lease expires; without a worker that does duties, this claim does them."""
    next = await client.session.arun(next_due())
    times = [time for time in (next.next_promotion, next.next_expiry) if time is not None]
    return max(_SHORTEST, min(_LOOK_AGAIN, *(time / 1000 for time in times)) if times else _LOOK_AGAIN)


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

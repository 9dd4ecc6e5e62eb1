"""Claims jobs, or waits for some; gives them back when the client is gone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request

from windlass import clock
from windlass.claimed_job import claim, release
from windlass.client.client import Client
from windlass.core.records import Claimed
from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.operation import Operation
from windlass.store.operations.queries import next_due
from windlass.threads.start import start_thread
from windlass.web.leases.waiting_claims import Waiter, waiting_claims_of

log = logging.getLogger("windlass.web")

_LOOK_AGAIN = 5.0
"""Seconds after which a claim that waits looks again without news."""
_SHORTEST = 0.05
_TRY_AGAIN = 0.5
_KEEP_TRYING = 300.0
"""Seconds for which a store that is away is asked again to take jobs back: then most leases are over."""


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
    """Have jobs that cannot be handed out given back, uncharged; where the store is away, when it is back."""
    if claimed:
        client.session.run_later(_released(client, claimed))


def _released(client: Client, claimed: Sequence[Claimed]) -> Operation[None]:
    try:
        yield from release(client, claimed)
    except StoreUnavailable:
        # On a thread of its own: those of the store are few, and closing the app waits for them.
        start_thread(_release_when_back, client, claimed, name="windlass-release")


def _release_when_back(client: Client, claimed: Sequence[Claimed]) -> None:
    until = clock.monotonic() + _KEEP_TRYING
    while clock.monotonic() < until:
        clock.sleep(_TRY_AGAIN)
        try:
            client.session.run(release(client, claimed))
        except StoreUnavailable:
            continue
        except WindlassError as error:  # above all, the app is closed
            log.warning("claimed jobs that were not handed out wait for the end of their lease: %s", error)
        return


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

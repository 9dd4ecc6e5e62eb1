"""The same in async code."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.ledger.manual_claims import declare
from tests.waiting import PATIENCE
from windlass import ClaimedJob, IllegalTransition, LeaseLost, State, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    declare(app)


@pytest.mark.asyncio
async def test_every_verb_has_an_async_form(app: Windlass, clock: ManualClock) -> None:
    """D5: with the same effects."""
    verbs: dict[str, tuple[Callable[[ClaimedJob], Awaitable[None]], State]] = {
        "complete": (lambda claimed: claimed.acomplete("done"), State.COMPLETED),
        "fail": (lambda claimed: claimed.afail("broken"), State.RETRYING),
        "discard": (lambda claimed: claimed.adiscard("broken"), State.FAILED),
        "release": (lambda claimed: claimed.arelease(), State.PENDING),
        "extend": (lambda claimed: claimed.aextend("1h"), State.RUNNING),
        "progress": (lambda claimed: claimed.aprogress(0.5), State.RUNNING),
    }
    await app.tasks[0].aenqueue_many([("hello",)] * len(verbs))
    handed_out = await app.aclaim(len(verbs), lease="1m")
    for one, (verb, state) in zip(handed_out, verbs.values(), strict=True):
        await verb(one)
        assert (await app.ajob(one.id)).state is state


@pytest.mark.asyncio
async def test_async_verbs_are_fenced_too(app: Windlass, clock: ManualClock) -> None:
    """D5: LeaseLost and IllegalTransition as in sync code."""
    await app.tasks[0].aenqueue_many([("a",), ("b",)])
    [old] = await app.aclaim(lease="1m")
    clock.advance("2m")
    await app.aclaim(lease="1m")
    with pytest.raises(LeaseLost):
        await old.acomplete()
    [other] = await app.aclaim()
    await other.acomplete()
    with pytest.raises(IllegalTransition):
        await other.afail("broken")


def test_async_forms_work_on_any_loop(app: Windlass) -> None:
    """D5: the app is bound to none."""

    async def one_round() -> str:
        job = await app.tasks[0].aenqueue("hello")
        [claimed] = await app.aclaim()
        await claimed.acomplete("done")
        return str(await job.aresult(timeout=PATIENCE))

    assert [asyncio.run(one_round()) for _ in range(2)] == ["done", "done"]

"""Back to the store that jobs were moved from, as docs/moving.md describes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from tests.moving.test_move import Ways, app_on
from tests.places.fixtures import PlaceOn
from tests.waiting import PATIENCE
from windlass import IdConflict, State, Windlass
from windlass.admin.move import move


@pytest.fixture(params=["postgres", "redis"])
def ways(request: pytest.FixtureRequest, place_on: PlaceOn) -> Iterator[Ways]:
    with ExitStack() as opened:
        yield Ways(*(opened.enter_context(closing(app_on(place_on(store)))) for store in ("sqlite", request.param)))


def states(app: Windlass) -> dict[str, int]:
    return {state: count for state, count in app.counts().items() if count}


def test_a_store_that_is_resumed_goes_on_as_if_nothing_had_been_moved(ways: Ways) -> None:
    job = ways.old.enqueue("echo", 1)
    ways.move()
    ways.old.resume()
    ways.old.worker().run_until_empty()
    assert job.result(timeout=PATIENCE) == 1


def test_a_queue_that_was_moved_alone_is_resumed_alone(ways: Ways) -> None:
    [job] = ways.old.enqueue_many([ways.old.request("echo", [1], queue="mail")])
    ways.move(queue="mail")
    ways.old.queue("mail").resume()
    ways.old.worker(["mail"]).run_until_empty()
    assert job.result(timeout=PATIENCE) == 1


def test_work_that_was_done_meanwhile_is_not_undone(ways: Ways) -> None:
    ways.old.enqueue("echo", 1)
    ways.move()
    ways.new.worker().run_until_empty()
    for source, target in [(ways.old, ways.new), (ways.new, ways.old)]:
        with pytest.raises(IdConflict, match="not the same"):
            move(source.client.session, target.client.session)
    assert (states(ways.old), states(ways.new)) == ({State.PENDING: 1}, {State.COMPLETED: 1})


def test_jobs_that_have_run_go_back_to_an_empty_place(ways: Ways) -> None:
    done = ways.old.enqueue("echo", 1)
    ways.move()
    ways.new.worker().run_until_empty()
    waiting = ways.new.enqueue("echo", 2)
    with closing(Windlass(ways.old.url, namespace="back")) as back:
        assert move(ways.new.client.session, back.client.session).added == 2
        assert back.job(done.id).result(timeout=PATIENCE) == 1
        assert back.job(waiting.id).state is State.PENDING

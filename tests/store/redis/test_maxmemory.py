"""A server with little memory that finished jobs fill up: early cleaning keeps room for new ones."""

from __future__ import annotations

import pytest

from tests.servers.redis_node import RedisNode
from tests.waiting import eventually
from windlass import JobNotFound, Windlass

_ROOM = 16_000_000
"""Bytes for jobs."""
_JOBS = 24_000
_BATCH = 200
_TEXT = "x" * 1_000


def memory(node: RedisNode) -> int:
    with node.client() as client:
        return int(client.info("memory")["used_memory"])


@pytest.mark.timeout(180)
def test_enqueue_goes_on_near_maxmemory_while_finished_jobs_are_cleaned(node: RedisNode) -> None:
    """B24: what goes through the server is some times as much as it holds; the oldest finished jobs make room."""
    most = memory(node) + _ROOM
    node.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    app = Windlass(node.url, early_cleaning=0.85)

    @app.task(name="note")
    async def note(number: int, text: str) -> None:
        pass

    with app, app.worker(concurrency=50):
        first = note.enqueue(0, _TEXT)
        first.result(timeout=60)
        node.command("CONFIG", "SET", "maxmemory", str(most))
        peak, number = 0, 0
        while number < _JOBS:
            # A producer that leaves some room is never refused.
            eventually(lambda: memory(node) < 0.95 * most, "early cleaning has made room")
            jobs = note.enqueue_many([(number + one, _TEXT) for one in range(_BATCH)])
            jobs[-1].result(timeout=60)
            number, peak = number + _BATCH, max(peak, memory(node))
        [*_, began] = [one for one in app.overview().notices if one.kind == "cleaned_early"]
        assert began.text.startswith("memory was ")
        assert peak > 0.85 * most
        with pytest.raises(JobNotFound):
            app.job(first.id)
        assert app.counts()["completed"] < number
        assert {job.id for job in jobs} == {job.id for job in app.jobs(limit=_BATCH)}, "the newest are all there"

"""Four real processes race for the same jobs."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack

from tests.store.builders import new_job
from tests.store.processes import running
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import queries

JOBS = 20_000
PROCESSES = 4


def test_no_job_is_handed_out_twice_and_none_is_missing(store: Store) -> None:
    """E1, E5: two workers can never both move the same job from pending to running."""
    for _ in range(4):
        store.enqueue(*(new_job() for _ in range(JOBS // 4)))
    with ExitStack() as stack:
        claimers = [
            stack.enter_context(
                running("tests.store.claiming_process", store.place.url, store.place.namespace, f"w{number}", "40")
            )
            for number in range(PROCESSES)
        ]
        for claimer in claimers:
            assert claimer.line() == "ready"
        for claimer in claimers:
            claimer.say("go")
        shares = [[int(seq) for seq in claimer.line().split()] for claimer in claimers]
        assert [claimer.end() for claimer in claimers] == [0] * PROCESSES
    taken = Counter(seq for share in shares for seq in share)
    assert len(taken) == JOBS, "some are missing"
    assert max(taken.values()) == 1, "some were handed out twice"
    assert all(shares), "a process that got nothing proves nothing"
    assert store.run(queries.counts()) == {"default": {State.COMPLETED: JOBS}}

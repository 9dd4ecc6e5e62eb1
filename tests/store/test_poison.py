"""One bad ending among 200: the store refuses the call for its data and writes nothing of it.

The pump, which then splits the batch, is tested with the worker.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from tests.store.builders import RETURNED, ending, ids, new_job, raised
from tests.store.stores import Store
from windlass.core.ending import Ending
from windlass.core.state import State
from windlass.store.driver import DataRejected
from windlass.store.operations import jobs, queries


def bad_state(good: Ending) -> Ending:
    return msgspec.structs.replace(good, state="bogus")


def no_unicode(good: Ending) -> Ending:
    return msgspec.structs.replace(good, result="lone \ud800 surrogate")


def no_unicode_in_errors(good: Ending) -> Ending:
    return msgspec.structs.replace(good, state=State.RETRYING, delay=0, errors="lone \ud800 surrogate")


def beyond_64_bits(good: Ending) -> Ending:
    return msgspec.structs.replace(good, state=State.SCHEDULED, charge=0, delay=2**70)


Poison = Callable[[Ending], Ending]
POISONS: list[Poison] = [bad_state, no_unicode, no_unicode_in_errors, beyond_64_bits]


@pytest.mark.parametrize("poison", POISONS)
def test_one_poisonous_ending_among_200_is_refused_with_nothing_written(store: Store, poison: Poison) -> None:
    """The caller hears that it is the data, so that it can find the one (I11)."""
    store.enqueue(*(new_job(f"{number}") for number in range(210)))
    worker = store.a_worker()
    taken = worker.take(200)
    endings = [ending(job, raised() if number % 3 else RETURNED) for number, job in enumerate(taken)]
    endings[117] = poison(ending(taken[117]))
    before = store.run(queries.find(ids(taken)))
    with pytest.raises(DataRejected):
        worker.cycle(endings=endings, requests=[("default", 5)])
    assert store.run(queries.find(ids(taken))) == before
    assert store.run(queries.counts()) == {"default": {State.RUNNING: 200, State.PENDING: 10}}


@pytest.mark.parametrize("poison", POISONS)
def test_without_the_poisonous_one_the_call_passes(store: Store, poison: Poison) -> None:
    """That is what DataRefused means (I11)."""
    store.enqueue(*(new_job() for _ in range(20)))
    worker = store.a_worker()
    endings = [ending(job) for job in worker.take()]
    with pytest.raises(DataRejected):
        worker.cycle(endings=[*endings[:10], poison(endings[10]), *endings[11:]])
    assert not worker.cycle(endings=[*endings[:10], *endings[11:]]).refused
    assert store.run(queries.counts()) == {"default": {State.RUNNING: 1, State.COMPLETED: 19}}


def test_progress_that_is_no_unicode_is_refused_as_data(store: Store) -> None:
    job = store.claimed()
    with pytest.raises(DataRejected):
        store.run(jobs.progress(job.seq, job.fence, "\ud800", worker="w"))
    assert store.job(job.id).progress is None

"""What a worker gathers: bounded however many names and values there are, and without what the store refused."""

from __future__ import annotations

from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.figures.row import SERIES_AT_MOST
from windlass.core.outcome import Interrupted, Outcome, Returned
from windlass.core.records import Claimed
from windlass.core.retry import Retry
from windlass.worker.figures.gatherer import Gatherer

DAY = 24 * 3600 * 1000


def ended(
    seq: int = 1,
    *,
    queue: str = "q",
    created_at: int = 0,
    attempt: int = 0,
    waited: int = 0,
    ran_for: int | None = 5,
    outcome: Outcome | None = None,
) -> tuple[Ending, Claimed]:
    job = Claimed(
        seq, f"{seq}", "t", queue, 0, "{}", None, attempt, 4, 0, 0, 1, None, created_at, False, None, None, None, None,
        waited=waited,
    )  # fmt: skip
    return decide(job, outcome or Returned("1"), retry=Retry(), ran_for=ran_for), job


def test_nothing_gathered_is_no_row() -> None:
    """C13: an idle worker sends nothing."""
    gatherer = Gatherer(worker="w")
    gatherer.ended([])
    assert gatherer.take() is None
    gatherer.ended([ended()])
    assert gatherer.take() is not None
    assert gatherer.take() is None


def test_a_stale_write_is_not_counted() -> None:
    gatherer = Gatherer()
    gatherer.ended([ended(1), ended(2)], {2})
    row = gatherer.take()
    assert row is not None
    [(_, _, point)] = row.jobs
    assert point.counts["completed"] == 1


def test_a_run_that_comes_back_as_it_was_does_not_count_as_enqueued() -> None:
    """Released before it began: neither its wait nor its arrival counts until it runs."""
    gatherer = Gatherer()
    gatherer.ended([ended(1, ran_for=None, outcome=Interrupted()), ended(2, attempt=1)])
    row = gatherer.take()
    assert row is not None
    assert row.arrivals == []
    [(_, _, point)] = row.jobs
    assert (point.counts["released"], point.counts["recovered"], point.times["wait"].count) == (1, 1, 1)


def test_names_and_instants_without_end_are_bounded() -> None:
    """A14: what is left over goes into other; the sums stay right."""
    gatherer = Gatherer()
    number = 5 * SERIES_AT_MOST
    for first in range(0, number, 500):
        batch = range(first, first + 500)
        gatherer.ended([ended(seq, queue=f"q-{seq}", created_at=seq * DAY // 50, waited=seq) for seq in batch])
    row = gatherer.take()
    assert row is not None
    assert len(row.jobs) <= SERIES_AT_MOST + 1
    assert sum(point.counts["completed"] for _, _, point in row.jobs) == number
    assert sum(arrival.number for arrival in row.arrivals) == number
    assert len(row.arrivals) <= SERIES_AT_MOST + number // 50


def test_values_without_end_become_points_early() -> None:
    """A store that is away for hours must not cost memory for each run."""
    gatherer = Gatherer()
    for first in range(0, 50_000, 1_000):
        gatherer.ended([ended(seq, ran_for=seq, waited=seq) for seq in range(first, first + 1_000)])
    assert len(gatherer._runs) <= 20_000
    row = gatherer.take()
    assert row is not None
    [(_, _, point)] = row.jobs
    assert point.times["run"].count == point.times["wait"].count == 50_000

"""figures: rows of workers, the buckets that they are merged into, and what is removed again."""

from __future__ import annotations

from tests.store.builders import DAY, HOUR, MINUTE, SECOND
from tests.store.stores import Store
from windlass.core.figures.bucket import read_bucket
from windlass.core.figures.levels import FINEST, LEVELS
from windlass.core.figures.point import RUN, Gauge, Point
from windlass.core.figures.row import Arrival, Row
from windlass.core.figures.series import ALL, QUEUE, STORE, TASK, WORKER, pair, series
from windlass.store.operation import Operation
from windlass.store.operations.figures.buckets import BucketRange, FigureBucket, buckets, merge, prune
from windlass.store.operations.figures.read import figures_between, raw_rows
from windlass.store.operations.figures.roll_up import RolledUp, remove_old, roll_up
from windlass.store.operations.figures.rows import append_row, unmerged
from windlass.store.operations.figures.store_state import store_state

MINUTES = LEVELS[1]


def a_row(*, completed: int = 1, queue: str = "mail", task: str = "send", worker: str = "w") -> Row:
    point = Point({"completed": completed})
    point.time(RUN, 100, completed)
    return Row(worker, [(queue, task, point)])


def append(store: Store, number: int, row: Row | None = None, *, worker: str = "w1") -> bool:
    return store.run(append_row(row or a_row(), worker=worker, number=number))


def completed(store: Store, name: str = ALL, *, step: int = FINEST.step) -> int:
    """Over all time."""
    found = store.run(buckets([BucketRange(step, 0, 2**52)], limit=10_000))
    points = [read_bucket(bucket.data).get(name, Point()) for bucket in found.buckets]
    return sum(point.counts.get("completed", 0) for point in points)


def test_a_row_is_read_back_with_the_stores_time(store: Store) -> None:
    assert append(store, 5)
    store.advance(SECOND)
    assert append(store, 1, a_row(completed=2), worker="w2")
    found = store.run(unmerged())
    assert [(row.at, row.read()) for row in found.rows] == [
        (store.clock() - SECOND, a_row()),
        (store.clock(), a_row(completed=2)),
    ]
    assert (found.revision, found.bytes, found.now) == (0, 0, store.clock())
    assert [row.read() for row in store.run(unmerged(skip=1)).rows] == [a_row(completed=2)]
    assert store.run(unmerged(limit=0)).rows == []
    assert store.run(raw_rows(1)) == [(store.clock() - SECOND, a_row())]


def test_a_row_that_was_sent_before_is_not_stored_again(store: Store) -> None:
    """C13: a lost answer counts nothing twice, also if the row was merged meanwhile."""
    assert append(store, 5)
    assert not append(store, 5)
    assert not append(store, 4)
    assert store.run(roll_up()).rows == 1
    assert not append(store, 5)
    assert append(store, 6)
    assert append(store, 5, worker="w2")
    assert store.run(roll_up()).rows == 2
    assert completed(store) == 3


def test_a_roll_up_fills_the_buckets_of_all_levels(store: Store) -> None:
    """A14."""
    append(store, 1)
    append(store, 2, a_row(completed=3, queue="other-mail"))
    assert store.run(roll_up()) == RolledUp(2, len(LEVELS))
    assert store.run(roll_up()) == RolledUp(0, 0)
    for level in LEVELS:
        assert completed(store, step=level.step) == 4
        assert completed(store, series(QUEUE, "mail"), step=level.step) == 1
        assert completed(store, series(TASK, "send"), step=level.step) == 4
        assert completed(store, pair("mail", "send"), step=level.step) == 1
        assert completed(store, series(WORKER, "w"), step=level.step) == 4


def test_rows_of_many_pages_are_merged(store: Store) -> None:
    for number in range(1, 121):
        append(store, number)
    assert store.run(roll_up()).rows == 120
    assert completed(store) == 120


def test_of_two_that_merge_at_once_one_does(store: Store) -> None:
    """The second has read what the first has changed."""
    append(store, 1)
    found = store.run(unmerged())
    rows = [row.number for row in found.rows]
    bucket = FigureBucket(FINEST.step, 0, "text")

    def again() -> Operation[bool]:
        return merge([bucket], rows=rows, revision=found.revision, grown=4)

    assert store.run(again())
    assert not store.run(again()), "repeated after no reply"
    append(store, 2)
    assert not store.another().run(again())
    assert len(store.run(unmerged()).rows) == 1
    assert store.run(unmerged()).bytes == 4


def test_a_roll_up_reads_again_what_another_has_changed(store: Store) -> None:
    append(store, 1)
    operation = roll_up({ALL: Point({"completed": 10})})
    other = store.another()

    def between() -> Operation[RolledUp]:
        """Another process merges after each read of the buckets, twice."""
        strikes = 2
        try:
            call = next(operation)
            while True:
                if call.name == "merge_figures" and strikes:
                    strikes -= 1
                    append(other, 10 - strikes, worker="w2")
                    other.run(roll_up())
                call = operation.send((yield call))
        except StopIteration as stop:
            done: RolledUp = stop.value
            return done

    store.run(between())
    assert completed(store) == 13
    assert store.run(unmerged()).rows == []


def test_jobs_are_counted_as_enqueued_when_they_were(store: Store) -> None:
    now = store.clock()
    row = Row("w", arrivals=[Arrival(now - 2 * HOUR, "mail", "send", 3), Arrival(now - DAY, "mail", "send", 4)])
    append(store, 1, row)
    store.run(roll_up())
    found = store.run(figures_between(FINEST, FINEST.start(store.clock() - 12 * HOUR), now))
    assert {at: bucket[ALL].counts for at, bucket in found.items()} == {
        FINEST.start(now - 2 * HOUR): {"enqueued": 3},
    }, "buckets of ten seconds are kept for six hours"
    assert (
        sum(
            bucket[ALL].counts["enqueued"]
            for bucket in store.run(figures_between(MINUTES, now - now % MINUTE - 2 * DAY, now)).values()
        )
        == 7
    )


def test_sampled_points_go_along(store: Store) -> None:
    sampled = {STORE: Point(gauges={"workers": Gauge.of(2)})}
    assert store.run(roll_up(sampled)) == RolledUp(0, len(LEVELS))
    store.run(roll_up({STORE: Point(gauges={"workers": Gauge.of(4)})}))
    [bucket] = store.run(figures_between(FINEST, FINEST.start(store.clock() - 12 * HOUR), store.clock())).values()
    assert bucket[STORE].gauges == {"workers": Gauge(2, 6, 2, 4, 4)}


def test_what_is_read_includes_rows_that_are_not_merged(store: Store) -> None:
    """A clean stop loses nothing, also if no leader is left to merge."""
    append(store, 1)
    store.run(roll_up())
    store.advance(MINUTE)
    append(store, 2)
    append(store, 3)
    found = store.run(figures_between(FINEST, FINEST.start(store.clock() - 12 * HOUR), store.clock()))
    assert [found[at][ALL].counts["completed"] for at in sorted(found)] == [1, 2]
    assert store.run(
        figures_between(FINEST, FINEST.start(store.clock() - 12 * HOUR), store.clock() - MINUTE)
    ).keys() == {FINEST.start(store.clock() - MINUTE)}


def test_a_range_of_many_buckets_is_read_whole(store: Store) -> None:
    first = FINEST.start(store.clock())
    many = [FigureBucket(FINEST.step, first + index * FINEST.step, "") for index in range(900)]
    assert store.run(merge(many, rows=[], revision=0, grown=0))
    assert len(store.run(figures_between(FINEST, first, first + 899 * FINEST.step))) == 900
    found = store.run(buckets([BucketRange(FINEST.step, first, first + 10 * FINEST.step)], limit=3))
    assert [bucket.at for bucket in found.buckets] == [first + index * FINEST.step for index in range(3)]


def test_old_buckets_are_removed(store: Store) -> None:
    """A14: 6 h, 7 days, 90 days, 400 days."""
    append(store, store.clock())
    store.run(roll_up())
    assert store.run(remove_old()) == (0, 1.0)
    for level, kept in zip(LEVELS, (6 * HOUR, 7 * DAY, 90 * DAY, 400 * DAY), strict=True):
        assert completed(store, step=level.step) == 1
        store.advance(kept + 2 * level.step)
        assert store.run(remove_old())[0] == 1
        assert completed(store, step=level.step) == 0
    assert store.run(unmerged()).bytes == 0
    assert append(store, 1), "a worker that has sent nothing for long is forgotten"


def test_too_many_bytes_shorten_what_is_kept(store: Store) -> None:
    """The same share of each level goes, the oldest first."""
    for _ in range(10):
        store.run(roll_up({ALL: Point({"completed": 1})}))
        store.advance(30 * MINUTE)
    share, removed = 1.0, 0
    for _ in range(50):
        number, share = store.run(remove_old(share, most_bytes=1_000))
        removed += number
    assert removed > 0
    assert store.run(unmerged()).bytes <= 1_000
    for _ in range(100):
        _, share = store.run(remove_old(share))
    assert share == 1.0


def test_pruning_and_merging_exclude_each_other(store: Store) -> None:
    store.run(roll_up({ALL: Point({"completed": 1})}))
    seen = store.run(unmerged()).revision
    store.advance(DAY)
    assert store.run(prune([(FINEST.step, store.clock())], sources_before=0)) == 1
    assert not store.run(merge([], rows=[], revision=seen, grown=0))
    assert store.run(prune([(FINEST.step, store.clock())], sources_before=0)) == 0


def test_a_row_or_a_bucket_that_cannot_be_read_is_passed_by(store: Store) -> None:
    store.run(merge([FigureBucket(FINEST.step, FINEST.start(store.clock()), "damaged")], rows=[], revision=0, grown=7))
    append(store, 1)
    store.run(roll_up())
    assert completed(store) == 1


def test_the_store_tells_of_itself(store: Store) -> None:
    state = store.run(store_state())
    assert state.keys() <= {"size", "memory", "max_memory", "connections", "evictions"}
    assert state.get("size", 0) > 0 or state.get("memory", 0) > 0

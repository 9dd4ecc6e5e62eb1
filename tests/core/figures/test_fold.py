"""Rows become points of series, in buckets of all levels; what is minted without end goes into others."""

from __future__ import annotations

from windlass.core.figures.bucket import Bucket, add_to, read_bucket, write_bucket
from windlass.core.figures.fold import fold
from windlass.core.figures.levels import FINEST, LEVELS
from windlass.core.figures.point import Gauge, Point
from windlass.core.figures.row import SERIES_AT_MOST, Arrival, Row, pack
from windlass.core.figures.series import ALL, PAIR, QUEUE, SCHEDULE, TASK, WORKER, other_of, series

NOW = 1_790_000_000_000


def a_row(queue: str, number: int = 1) -> Row:
    return Row("w", [(queue, "t", Point({"completed": number}))])


def test_a_row_counts_in_all_series_that_it_belongs_to() -> None:
    row = Row(
        "shop-1",
        [("mail", "send", Point({"completed": 2, "released": 1})), ("mail", "clean", Point({"failed": 1}))],
        [Arrival(NOW, "mail", "send", 3)],
        {"nightly": Point({"late": 1})},
    )
    found = fold([(NOW, row)], now=NOW)
    assert found.keys() == {(level.step, level.start(NOW)) for level in LEVELS}
    for bucket in found.values():
        assert {name: point.counts for name, point in bucket.items()} == {
            ALL: {"completed": 2, "released": 1, "failed": 1, "enqueued": 3},
            series(QUEUE, "mail"): {"completed": 2, "released": 1, "failed": 1, "enqueued": 3},
            series(TASK, "send"): {"completed": 2, "released": 1, "enqueued": 3},
            series(TASK, "clean"): {"failed": 1},
            series(PAIR, "mail\tsend"): {"completed": 2, "released": 1, "enqueued": 3},
            series(PAIR, "mail\tclean"): {"failed": 1},
            series(WORKER, "shop-1"): {"completed": 2, "failed": 1},
            series(SCHEDULE, "nightly"): {"late": 1},
        }


def test_names_that_are_minted_without_end_finish_in_others() -> None:
    """A14: at most 1,000 series, and one for the others of each kind; the sums stay right."""
    rows = [(NOW, a_row(f"queue-{number}")) for number in range(3 * SERIES_AT_MOST)]
    bucket: Bucket = {}
    for page in range(0, len(rows), 500):
        add_to(bucket, fold(rows[page : page + 500], now=NOW)[FINEST.step, FINEST.start(NOW)])
    assert len(bucket) <= SERIES_AT_MOST + 7
    assert bucket[ALL].counts == {"completed": len(rows)}
    queues = [point for name, point in bucket.items() if name.startswith(f"{QUEUE}:")]
    assert sum(point.counts["completed"] for point in queues) == len(rows)
    assert bucket[other_of(series(QUEUE, "queue-1"))].counts["completed"] > SERIES_AT_MOST


def test_jobs_never_count_as_enqueued_ahead_of_the_clock() -> None:
    ahead = Row("w", arrivals=[Arrival(NOW + 3_600_000, "mail", "send", 1)])
    assert {at for _, at in fold([(NOW, ahead)], now=NOW)} == {level.start(NOW) for level in LEVELS}


def test_a_bucket_is_read_back() -> None:
    bucket = {ALL: Point({"completed": 1}, gauges={"depth": Gauge.of(3)}, errors={"ValueError": 2})}
    bucket[ALL].time("run", 70)
    assert read_bucket(write_bucket(bucket)) == bucket
    assert read_bucket(None) == read_bucket("no text of ours") == {}


def test_series_that_are_not_wanted_are_not_read() -> None:
    """B20: a chart of one series costs nothing for the others."""
    bucket = {name: Point({"completed": number}) for number, name in enumerate((ALL, "queue:a", "queue:b"))}
    text = write_bucket(bucket)
    assert read_bucket(text, lambda name: name == "queue:b") == {"queue:b": bucket["queue:b"]}
    assert read_bucket(text, lambda name: False) == read_bucket("no text of ours", lambda name: True) == {}
    damaged = pack({ALL: Point({"completed": 1}), "queue:a": "no point"})
    assert read_bucket(damaged, lambda name: name == ALL) == {ALL: Point({"completed": 1})}
    assert read_bucket(damaged, lambda name: True) == {}


def test_of_many_errors_the_commonest_are_told_apart() -> None:
    whole = Point()
    for number in range(100):
        whole.merge(Point(errors={f"Error{number:02}": 100 - number}))
    assert len(whole.errors) <= 11
    assert whole.errors["Error00"] == 100
    assert sum(whole.errors.values()) == sum(range(1, 101))


def test_a_gauge_has_its_bounds_and_its_newest_value() -> None:
    gauge = Gauge.of(-5)
    gauge.merge(Gauge.of(-9))
    gauge.merge(Gauge())
    assert (gauge.count, gauge.mean, gauge.least, gauge.most, gauge.newest) == (2, -7, -9, -5, -9)

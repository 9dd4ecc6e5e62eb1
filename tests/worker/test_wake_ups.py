"""WakeUps: what the pump was notified of since its last cycle."""

from __future__ import annotations

from windlass.worker.notifications.wake_ups import Notified, WakeUps


def wake_ups() -> WakeUps:
    """Of a worker that has looked at everything once."""
    made = WakeUps({"a", "b"})
    made.take(is_going=False)
    return made


def test_a_worker_looks_everywhere_when_it_starts() -> None:
    assert WakeUps({"a"}).take(is_going=False) == Notified(True, (), False)


def test_without_news_there_is_nothing_to_look_for() -> None:
    made = wake_ups()
    assert not made.is_waiting
    assert made.take(is_going=True) is None


def test_news_of_a_queue_name_it() -> None:
    made = wake_ups()
    made.add("a")
    assert made.add_from_elsewhere("b")
    assert made.take(is_going=False) == Notified(False, ("a", "b"), False)
    assert not made.is_waiting


def test_news_of_a_queue_that_is_not_served_do_not_matter() -> None:
    made = wake_ups()
    assert not made.add_from_elsewhere("c")
    assert not made.is_waiting


def test_news_of_very_many_queues_are_news_of_any() -> None:
    made = wake_ups()
    for _ in range(5_000):
        made.add("a")
    heard = made.take(is_going=False)
    assert heard is not None
    assert heard.is_any
    assert len(heard.queues) <= 1_000


def test_news_of_others_may_be_the_only_reason_for_a_cycle() -> None:
    made = wake_ups()
    made.add_from_elsewhere(None)
    assert made.take(is_going=False) == Notified(True, (), True)


def test_a_cycle_that_is_made_anyway_takes_the_news_along() -> None:
    made = wake_ups()
    made.add_from_elsewhere(None)
    assert made.take(is_going=True) == Notified(True, (), False)


def test_news_of_our_own_process_are_meant_for_this_worker_alone() -> None:
    made = wake_ups()
    made.add_from_elsewhere(None)
    made.add()
    assert made.take(is_going=False) == Notified(True, (), False)

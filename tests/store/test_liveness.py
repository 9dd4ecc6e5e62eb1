"""Whether a connection that only listens still carries anything."""

from __future__ import annotations

from windlass.store.connection.liveness import ConnectionLiveness, Finding


def silent_until(liveness: ConnectionLiveness, finding: Finding, *, now: float) -> float:
    """When that is found on a connection on which nothing comes in; questions are asked on the way."""
    while True:
        now += liveness.pause(now)
        found = liveness.judge(now)
        if found is Finding.ASK:
            liveness.note_question(now)
        if found is finding:
            return now


def test_a_silent_connection_is_doubted_before_a_second_is_over() -> None:
    """C4, B10: whatever was told on it is looked for within a second, and what is wanted of a worker within two."""
    liveness = ConnectionLiveness(100.0)
    assert silent_until(liveness, Finding.DOUBT, now=100.0) < 101.0
    assert liveness.is_doubted


def test_a_server_that_answers_is_asked_less_than_twice_a_second() -> None:
    """Every idle worker wakes for it, and so does the server."""
    liveness, now, questions = ConnectionLiveness(0.0), 0.0, 0
    while now < 60.0:
        now += liveness.pause(now)
        assert liveness.judge(now) is Finding.ASK
        liveness.note_question(now)
        questions += 1
        liveness.note_word(now)
    assert questions <= 100


def test_it_is_given_up_some_seconds_later() -> None:
    liveness = ConnectionLiveness(100.0)
    assert 102.0 < silent_until(liveness, Finding.OVER, now=100.0) < 105.0


def test_a_connection_on_which_something_comes_in_is_never_asked() -> None:
    liveness = ConnectionLiveness(100.0)
    for tick in range(100):
        now = 100.0 + tick / 10
        assert liveness.judge(now) is Finding.NOTHING
        liveness.note_word(now)


def test_a_late_answer_ends_the_doubt() -> None:
    """The server may only have been busy."""
    liveness = ConnectionLiveness(100.0)
    now = silent_until(liveness, Finding.DOUBT, now=100.0)
    liveness.note_word(now + 1)
    assert not liveness.is_doubted
    assert liveness.judge(now + 1.1) is Finding.NOTHING
    assert silent_until(liveness, Finding.DOUBT, now=now + 1) < now + 2


def test_a_doubt_is_found_once() -> None:
    liveness = ConnectionLiveness(100.0)
    now = silent_until(liveness, Finding.DOUBT, now=100.0)
    assert liveness.judge(now) is Finding.NOTHING
    assert liveness.pause(now) > 1

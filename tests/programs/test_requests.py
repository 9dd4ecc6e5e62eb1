"""What can be asked for, and what is refused before anything is stored."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import nothing_stored
from windlass import ConfigError, PayloadTooLarge, State, Windlass, command


def test_a_command_is_a_job_like_any_other(app: Windlass) -> None:
    job = app.enqueue(command(["true"], queue="night", priority=3, delay="1h", timeout="5s", id="c1", meta={"a": 1}))
    assert (job.id, job.task, job.queue, job.priority) == ("c1", "windlass.command", "night", 3)
    assert (job.state, job.meta, job.record.timeout) == (State.SCHEDULED, {"a": 1}, 5_000)


def test_the_app_makes_them_too(app: Windlass) -> None:
    jobs = app.enqueue_many([app.command(["true"]), command(["false"])])
    assert [job.task for job in jobs] == ["windlass.command"] * 2


def test_by_name_they_are_the_same(app: Windlass) -> None:
    """For those who have no Python at hand: the command line, and later HTTP."""
    named = app.enqueue("windlass.command", ["echo", "a"], cwd="/", timeout=5)
    made = app.enqueue(command(["echo", "a"], cwd="/", timeout=5))
    assert (named.record.payload, named.record.timeout) == (made.record.payload, made.record.timeout)


@pytest.mark.parametrize(
    ("argv", "details", "complaint"),
    [
        ("ls -l", {}, "never goes through a shell"),
        ([], {}, "argv must be a list of words"),
        ([""], {}, "the program's name is empty"),
        (["echo", 1], {}, "must be text without NUL, got 1"),
        (["echo", "a\0b"], {}, "must be text without NUL"),
        (["true"], {"env": {"A": 1}}, "env: A: must be text"),
        (["true"], {"env": {"A=B": "1"}}, "cannot be the name of a variable"),
        (["true"], {"env": ["A"]}, "env must be a mapping"),
        (["true"], {"cwd": 1}, "cwd: must be text"),
        (["true"], {"stdin": 1}, "stdin must be text or bytes"),
        (["true"], {"output_limit": -1}, "output_limit must be a whole number"),
        (["true"], {"give_up_on": [300]}, "exit code in give_up_on must be a whole number"),
        (["true"], {"snooze_on": {75: "soon"}}, "snooze_on"),
        (["true"], {"timeuot": 3}, "did you mean 'timeout'"),
    ],
)
def test_what_is_no_command_is_refused(app: Windlass, argv: Any, details: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        app.enqueue(command(argv, **details))
    assert nothing_stored(app)


def test_a_request_is_enqueued_alone(app: Windlass) -> None:
    with pytest.raises(TypeError, match="has its arguments already"):
        app.enqueue(command(["true"]), "more")
    assert nothing_stored(app)


def test_what_it_reads_counts_as_payload(app: Windlass) -> None:
    with pytest.raises(PayloadTooLarge):
        app.enqueue(command(["cat"], stdin="a" * 2_000_000))
    assert nothing_stored(app)

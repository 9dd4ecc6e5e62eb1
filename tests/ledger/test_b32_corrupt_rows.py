"""Rows that cannot be read, and payloads of other versions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import work
from tests.places.raw_store import RawStore
from windlass import Job, PayloadError, Progress, State, Windlass
from windlass.testing import ManualClock

BROKEN = [
    "",
    "{",
    "null",
    "[]",
    '{"v":1}',
    '{"v":1,"args":1,"kwargs":{}}',
    "\udcff".encode("utf-8", "replace").decode(),
]


@pytest.fixture
def job(app: Windlass) -> Job[Any]:
    @app.task(name="echo")
    def echo(value: int) -> int:
        return value

    @app.task(name="fail")
    def fail() -> None:
        raise OSError

    return echo.options(meta={"a": 1}).enqueue(7)


@pytest.mark.parametrize("payload", BROKEN)
def test_a_payload_that_cannot_be_read(app: Windlass, job: Job[Any], raw_store: RawStore, payload: str) -> None:
    """B32: failed(undecodable) without a retry or a charge; the raw text is kept."""
    raw_store.damage(job, payload=payload)
    assert work(app) <= 1
    job.refresh()
    assert (job.state, job.reason, job.attempt) == (State.FAILED, "undecodable", 0)
    assert job.record.payload == payload
    assert job.errors[0].type == "windlass.errors.PayloadError"


def test_an_argument_that_cannot_be_rebuilt(app: Windlass, job: Job[Any], raw_store: RawStore) -> None:
    """B32: an unknown tag, or a class that nobody registered, is undecodable too."""
    raw_store.damage(job, payload='{"v":1,"args":[{"$":"dataclass","class":"os.System"}],"kwargs":{}}')
    work(app)
    assert (job.refresh().state, job.reason) == (State.FAILED, "undecodable")


@pytest.mark.parametrize("column", ["meta", "errors"])
def test_metadata_and_errors_that_cannot_be_read(
    app: Windlass, job: Job[Any], raw_store: RawStore, column: str
) -> None:
    """B32: failed(undecodable), with the raw text kept."""
    raw_store.damage(job, **{column: "{broken"})
    work(app)
    job.refresh()
    assert (job.state, job.reason, job.attempt) == (State.FAILED, "undecodable", 0)
    assert "{broken" in str(getattr(job.record, column))


def with_one_bit_flipped(text: str | None) -> str:
    """The text with one digit changed: it is JSON as before, and says something else."""
    assert text is not None
    place = text.index("7")
    return f"{text[:place]}5{text[place + 1 :]}"


@pytest.mark.parametrize("column", ["payload", "meta"])
def test_a_flipped_bit_is_found(app: Windlass, job: Job[Any], raw_store: RawStore, column: str) -> None:
    """B32, F8: arguments and metadata that are still JSON, but not what was stored."""
    [noted] = app.enqueue_many([app.request("echo", (7,), meta={"a": 7})])
    damaged = with_one_bit_flipped(getattr(noted.record, column))
    raw_store.damage(noted, **{column: damaged})
    assert noted.refresh().unreadable == (column,)
    work(app)
    assert (noted.refresh().state, noted.reason, noted.attempt) == (State.FAILED, "undecodable", 0)
    assert (getattr(noted.record, column), noted.errors[0].type) == (damaged, "windlass.errors.PayloadError")
    assert job.result() == 7


def test_a_flipped_bit_in_a_result_or_in_errors_is_found(app: Windlass, job: Job[Any], raw_store: RawStore) -> None:
    """B32, F8: whoever reads the result is told; a history says that it is damaged, and lists go on."""
    failed = app.enqueue("fail")
    work(app)
    raw_store.damage(job, result=with_one_bit_flipped(job.refresh().record.result))
    with pytest.raises(PayloadError, match="checksum"):
        job.result()
    history = str(failed.refresh().record.errors)
    raw_store.damage(failed, errors=history.replace("OSError", "OSErros"))
    assert (job.refresh().unreadable, failed.refresh().unreadable) == (("result",), ("errors",))
    assert (failed.errors, app.jobs()) == ((), [failed, job])


@pytest.mark.parametrize("column", ["payload", "meta", "errors", "result"])
def test_texts_of_earlier_releases_have_no_seal(app: Windlass, job: Job[Any], raw_store: RawStore, column: str) -> None:
    """B32: older rows are read."""
    [failed] = app.enqueue_many([app.request("fail", attempts=1)])
    if column in ("errors", "result"):
        work(app)
    for one in (job, failed):
        text = getattr(one.refresh().record, column)
        if text is not None:
            raw_store.damage(one, **{column: text.rstrip()})
    work(app)
    assert (job.refresh().result(), job.meta, failed.refresh().errors[0].type) == (7, {"a": 1}, "OSError")
    assert (job.unreadable, failed.unreadable) == ((), ())


def test_a_result_that_cannot_be_read(app: Windlass, job: Job[Any], raw_store: RawStore) -> None:
    """B32: whoever asks for it gets PayloadError; the job and its raw text stay."""
    work(app)
    raw_store.damage(job, result="{broken")
    with pytest.raises(PayloadError):
        job.result()
    assert job.refresh().record.result == "{broken"


@pytest.mark.parametrize("column", ["payload", "meta", "errors", "result", "progress", "retry"])
def test_lists_and_handles_still_work(app: Windlass, job: Job[Any], raw_store: RawStore, column: str) -> None:
    """B32: the damaged job is shown with what can be read, others beside it as always."""
    other = app.enqueue("echo", 8)
    raw_store.damage(job, **{column: "{broken"})
    assert app.jobs() == [other, job]
    assert app.counts()[State.PENDING] == 2
    assert app.queue("default").peek() == [job, other]
    job.refresh()
    assert isinstance(job.errors, tuple)
    assert job.progress == Progress()
    assert (job.meta, job.tags) == ({} if column == "meta" else {"a": 1}, ())
    assert job.timeline()[0].kind == "created"
    assert job.why()
    assert app.jobs(text="echo") == [other, job]


def test_others_go_on(app: Windlass, job: Job[Any], raw_store: RawStore) -> None:
    """B32: one bad row among many harms none of them."""
    others = app.enqueue_many([app.request("echo", (number,)) for number in range(50)])
    raw_store.damage(job, payload="{")
    work(app)
    assert [other.result() for other in others] == list(range(50))


def test_a_dead_letter_with_damaged_errors_is_still_grouped(app: Windlass, job: Job[Any], raw_store: RawStore) -> None:
    """B32: groups are told without it."""
    job.cancel()
    dead = app.enqueue_many([app.request("fail", attempts=1)] * 2)
    work(app)
    raw_store.damage(dead[0], errors="{broken")
    groups = {(group.task, group.error): group.count for group in app.dead_groups()}
    # A store that keeps the kind of an error apart from its text still knows it.
    assert groups in ({("fail", "OSError"): 1, ("fail", None): 1}, {("fail", "OSError"): 2})


def test_a_manually_claimed_job_that_cannot_be_read(app: Windlass, job: Job[Any], raw_store: RawStore) -> None:
    """B32: claim hands it out; reading its arguments is PayloadError, and it can be discarded."""
    raw_store.damage(job, payload="{")
    [claimed] = app.claim()
    with pytest.raises(PayloadError):
        _ = claimed.args
    claimed.discard("unreadable")
    assert job.refresh().state is State.FAILED


def test_a_newer_payload_is_left_for_newer_workers(
    app: Windlass, job: Job[Any], raw_store: RawStore, clock: ManualClock
) -> None:
    """B32: nothing is charged, why names the remedy, and the patience grows."""
    raw_store.damage(job, payload='{"v":2,"anything":[1,2,3]}')
    work(app)
    job.refresh()
    assert (job.state, job.reason, job.attempt) == (State.SCHEDULED, "newer_format", 0)
    assert "upgrade the workers" in job.why()
    clock.advance("10m")
    work(app)
    assert (job.refresh().state, job.run_at > clock.now()) == (State.SCHEDULED, True)
    raw_store.damage(job, payload='{"v":1,"args":[7],"kwargs":{}}')
    clock.advance("10m")
    work(app)
    assert job.result() == 7


def test_retry_after_the_row_was_mended(app: Windlass, job: Job[Any], raw_store: RawStore) -> None:
    """B32: the job is not lost."""
    payload = job.record.payload
    raw_store.damage(job, payload="{")
    work(app)
    raw_store.damage(job, payload=payload)
    job.retry()
    work(app)
    assert job.result() == 7

"""How large and how deep stored values may be."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from tests.ledger.apps import Apps, failure_of, nothing_stored, work
from windlass import Limits, PayloadError, PayloadTooLarge, State, Windlass

MIB = 1024 * 1024
EMPTY_CALL = len('{"v":1,"args":[""],"kwargs":{}}')


@pytest.fixture(autouse=True)
def _task(app: Windlass) -> None:
    declare(app)


def declare(app: Windlass) -> None:
    @app.task(name="echo")
    def echo(value: Any = None) -> Any:
        return value


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_a_payload_of_exactly_one_mebibyte_is_fine(app: Windlass) -> None:
    """B2: and comes back."""
    job = app.enqueue("echo", "x" * (MIB - EMPTY_CALL))
    assert len(job.record.payload.rstrip()) == MIB


def test_a_larger_payload_is_refused(app: Windlass) -> None:
    """B2: with both sizes and the argument, before anything is stored."""
    with pytest.raises(PayloadTooLarge, match=r"1,048,577 bytes, the limit is 1,048,576;.*'value'"):
        app.enqueue("echo", "x" * (MIB - EMPTY_CALL + 1))
    assert nothing_stored(app)


def test_a_value_64_deep_is_fine(app: Windlass) -> None:
    """B2: as an argument and as a result."""
    job = app.enqueue("echo", nested(64))
    work(app)
    assert job.result() == nested(64)


@pytest.mark.parametrize("value", [nested(65), {"a": nested(64)}])
def test_a_deeper_value_is_refused(app: Windlass, value: Any) -> None:
    """B2: naming the argument."""
    with pytest.raises(PayloadError, match=r"'value'.*nested deeper"):
        app.enqueue("echo", value)
    assert nothing_stored(app)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [1.0, math.nan]])
def test_what_json_has_no_number_for_is_refused(app: Windlass, value: Any) -> None:
    """B2: naming the argument."""
    with pytest.raises(PayloadError, match="'value'"):
        app.enqueue("echo", value)
    assert nothing_stored(app)


def test_what_cannot_be_stored_is_refused(app: Windlass) -> None:
    """B2: naming the argument."""
    with pytest.raises(PayloadError, match=r"'value'.*lock cannot be stored"):
        app.enqueue("echo", Lock())
    assert nothing_stored(app)


@pytest.mark.parametrize("value", ["x" * 2 * MIB, nested(65), math.nan, object()])
def test_the_refusal_comes_before_the_store_is_asked(tmp_path: Path, value: Any) -> None:
    """B2: an app whose store cannot even be opened refuses all the same."""
    app = Windlass(f"sqlite:///{tmp_path}/missing/folder/jobs.db")
    declare(app)
    with pytest.raises(PayloadError):
        app.enqueue("echo", value)


def test_metadata_is_bounded(app: Windlass) -> None:
    """B2: to 16 KiB."""
    frame = len('{"meta":{"a":""}}')
    fits = app.request("echo", meta={"a": "x" * (16 * 1024 - frame)})
    app.enqueue_many([fits])
    with pytest.raises(PayloadTooLarge, match="meta"):
        app.enqueue_many([app.request("echo", meta={"a": "x" * (16 * 1024 - frame + 1)})])
    assert app.counts()[State.PENDING] == 1


@pytest.mark.parametrize("meta", [{"a": object()}, {"a": math.nan}, {"a": {1, 2}}, {1: "a"}])
def test_metadata_is_plain(app: Windlass, meta: Any) -> None:
    """B2: what is not plain JSON is refused."""
    with pytest.raises(PayloadError, match="meta"):
        app.enqueue_many([app.request("echo", meta=meta)])
    assert nothing_stored(app)


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("kind", ["too large", "unstorable", "too deep", "not a number"])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_result_that_cannot_be_stored_fails_the_job(app: Windlass, kind: str, is_async: bool) -> None:
    """B2: without a retry, for the work is done; the reason is result."""
    results: dict[str, object] = {
        "too large": "x" * MIB,
        "unstorable": object(),
        "too deep": nested(65),
        "not a number": math.nan,
    }

    def give() -> object:
        return results[kind]

    async def give_later() -> object:
        return results[kind]

    job = app.enqueue(app.task(give_later if is_async else give))
    work(app)
    assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "result", 1)
    assert failure_of(job).type in ("windlass.errors.PayloadError", "windlass.errors.PayloadTooLarge")


def test_a_result_of_exactly_one_mebibyte_is_fine(app: Windlass) -> None:
    """B2: and comes back."""

    @app.task
    def large() -> str:
        return "x" * (MIB - 2)

    job = large.enqueue()
    work(app)
    assert len(job.result()) == MIB - 2


def test_a_long_error_is_cut(app: Windlass) -> None:
    """B2: to 64 KiB in all; the attempt is recorded as any other."""

    @app.task
    def fail() -> None:
        raise ValueError("x" * MIB)

    job = fail.options(attempts=1).enqueue()
    work(app)
    assert job.refresh().errors[0].message.startswith("xxx")
    assert len(str(job.record.errors)) <= 65 * 1024


def test_a_bulk_of_ten_thousand_is_fine(app: Windlass) -> None:
    """B2: one more is refused, with nothing stored."""
    requests = [app.request("echo")] * 10_000
    with pytest.raises(PayloadError, match=r"10,?000"):
        app.enqueue_many([*requests, app.request("echo")])
    assert nothing_stored(app)
    assert len(app.enqueue_many(requests)) == 10_000


def test_every_limit_is_configurable(new_app: Apps) -> None:
    """B2: payload, depth, metadata, result, error and bulk."""
    app = new_app(limits=Limits(payload=100, result=10, meta=50, error=1000, depth=2, bulk=3))
    declare(app)
    with pytest.raises(PayloadTooLarge):
        app.enqueue("echo", "x" * 100)
    with pytest.raises(PayloadError):
        app.enqueue("echo", nested(3))
    with pytest.raises(PayloadTooLarge):
        app.enqueue_many([app.request("echo", meta={"a": "x" * 50})])
    with pytest.raises(PayloadError, match="3"):
        app.enqueue_many([app.request("echo")] * 4)
    job = app.enqueue("echo", "x" * 20)
    work(app)
    assert job.refresh().reason == "result"

    @app.task
    def fail() -> None:
        raise ValueError("x" * 5000)

    failed = fail.options(attempts=1).enqueue()
    work(app)
    assert len(str(failed.refresh().record.errors)) < 1200


def test_limits_can_be_raised(new_app: Apps) -> None:
    """B2: for those who know what they do."""
    app = new_app(limits=Limits(payload=3 * MIB, result=3 * MIB))
    declare(app)
    job = app.enqueue("echo", "x" * 2 * MIB)
    work(app)
    assert len(job.result()) == 2 * MIB


@pytest.mark.parametrize("text", ["nul \0 byte", "lone \ud800 surrogate", "both \0 \udfff"])
def test_an_error_with_text_that_no_store_takes_is_recorded(app: Windlass, text: str) -> None:
    """B2: made storable, so that it never harms the record of its attempt."""

    @app.task
    def fail() -> None:
        raise ValueError(text)

    job = fail.options(attempts=1).enqueue()
    work(app)
    assert job.refresh().state is State.FAILED
    assert job.errors[0].type == "ValueError"
    assert text.split(maxsplit=1)[0] in job.errors[0].message


def test_a_nul_in_a_value_comes_back(app: Windlass) -> None:
    """B2: as an argument and as a result."""
    job = app.enqueue("echo", "nul \0 byte")
    work(app)
    assert job.result() == "nul \0 byte"


def test_a_lone_surrogate_in_a_value_is_refused(app: Windlass) -> None:
    """B2: as an argument at the call, as a result with the reason result."""
    with pytest.raises(PayloadError, match=r"'value'.*surrogate"):
        app.enqueue("echo", "lone \ud800 surrogate")
    assert nothing_stored(app)

    @app.task
    def give() -> str:
        return "lone \ud800 surrogate"

    job = give.enqueue()
    work(app)
    assert job.refresh().reason == "result"

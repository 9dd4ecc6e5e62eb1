"""Code as the guides show it, with the types that a checker has to see. It is checked, never run."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, assert_type

from windlass import (
    ActiveJob,
    GroupFlow,
    Job,
    Request,
    Results,
    Retry,
    Schedule,
    State,
    Windlass,
    chain,
    group,
    this_job,
)
from windlass.flows.chain import Chain

app = Windlass()


@app.task
def welcome(user_id: int) -> str:
    return f"welcome {user_id}"


@app.task(queue="mail", retry=Retry(attempts=5))
async def fetch(url: str, *, tries: int = 3) -> bytes:
    return url.encode() * tries


@app.task
def report(pages: int, job: ActiveJob = this_job) -> int:
    job.progress(0.5, "half way")
    return pages


@app.task(timeout="2m")
async def areport(pages: int, *, job: ActiveJob = this_job) -> int:
    job.checkpoint()
    return pages


@app.task
def sell(order: int, *, job: ActiveJob = this_job) -> str:
    assert_type(job.step("charge", named, order), str)
    assert_type(job.step("double", lambda: order * 2, retry=Retry(attempts=3)), int)
    job.sleep("3d")
    assert_type(job.wait_for("approved", timeout="7d"), Any)
    return "sold"


def named(number: int) -> str:
    return str(number)


async def fetched(url: str) -> bytes:
    return url.encode()


@app.task
async def asell(order: int, *, job: ActiveJob = this_job) -> None:
    assert_type(await job.astep("fetch", fetched, "https://example.org"), bytes)
    assert_type(await job.astep("fetch again", fetched, "x", retry=Retry(attempts=2)), bytes)
    await job.asleep("3d")


@app.cron("30 2 * * *", tz="America/New_York", catch_up="latest", args=[3])
def nightly(pages: int) -> int:
    return pages


@app.every("15m", overlap="skip")
@app.task(queue="feeds")
async def refresh() -> str:
    return "done"


@app.task
def loose(anything: Any, more: Any) -> Any:
    return anything or more


def enqueued() -> None:
    assert_type(welcome.enqueue(42), Job[str])
    assert_type(welcome.enqueue(user_id=42).result(timeout=5), str)
    assert_type(welcome.options(delay="10m").enqueue(42), Job[str])
    assert_type(fetch.enqueue("https://example.org", tries=2), Job[bytes])
    assert_type(report.enqueue(3), Job[int])
    assert_type(report.request(3), Request)
    assert_type(areport.options(priority=1).enqueue(pages=3), Job[int])
    assert_type(nightly.enqueue(3), Job[int])
    assert_type(refresh.enqueue().result(), str)
    assert_type(app.schedule("nightly").pause().edit(cron="@daily", by="ada"), Schedule)
    loose.enqueue(1, 2)


def called(job: ActiveJob) -> None:
    """Calling a task calls its function, with the function's types."""
    assert_type(welcome(42), str)
    _ = assert_type(fetch("https://example.org"), Coroutine[Any, Any, bytes])
    assert_type(report(3, job), int)
    _ = assert_type(areport(3, job=job), Coroutine[Any, Any, int])


async def awaited() -> None:
    assert_type(await welcome.aenqueue(42), Job[str])
    assert_type(await (await fetch.aenqueue("https://example.org")).aresult(), bytes)
    assert_type(await fetch("https://example.org"), bytes)


def mistakes() -> None:
    """Each of these is an error of the caller; an ``ignore`` that is not needed would be one of ours."""
    welcome.enqueue("42")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    welcome.enqueue()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    report.enqueue("3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    welcome.apply_async(42)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    welcome.options(countdown=3)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


@app.task
def merge(results: Results, title: str = "") -> str:
    return title + ", ".join(map(str, results))


def together() -> None:
    """A request may lack the argument that it gets from another job: the first one, or that which ``into`` names."""
    assert_type(chain(welcome.request(42), merge.options(id="m").request(title="two"), fetch.request()), Chain)
    assert_type(group([welcome.request(n) for n in range(3)]).then(merge.request(title="all")).enqueue(), GroupFlow)
    assert_type(merge.options(into="results").request(title="named"), Request)
    assert_type(merge.options(after=[welcome.enqueue(1)], into="results").enqueue(title="x"), Job[str])
    merge.request(titel="all")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


def looked_at() -> None:
    counts = app.counts()
    assert_type(counts["pending"], int)
    assert_type(counts[State.PENDING], int)
    assert_type(app.job("id"), Job[Any])

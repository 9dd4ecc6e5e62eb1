"""Tags on jobs, by which they are found and changed."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.places.raw_store import RawStore
from windlass import ConfigError, State, Windlass
from windlass.task import Task
from windlass.testing import ManualClock


@pytest.fixture
def send(app: Windlass) -> Task[..., int]:
    @app.task(name="send", tags=["mail"])
    def send(number: int) -> int:
        if number < 0:
            raise OSError
        return number

    return send


def test_words_and_a_dict(app: Windlass, send: Task[..., int]) -> None:
    """B37: a list of words, or a dict that keeps its values; those of the task come first, each once."""
    vip = send.options(tags=["vip", "mail", "vip"]).enqueue(1)
    pro = send.options(tags={"plan": "pro", "tenant": 7}).enqueue(2)
    plain = send.enqueue(3)
    assert (vip.tags, pro.tags, plain.tags) == (("mail", "vip"), ("mail", "plan=pro", "tenant=7"), ("mail",))
    assert (app.jobs(tag="vip"), app.jobs(tag="tenant=7"), app.jobs(tag="plan")) == ([vip], [pro], [])
    assert app.jobs(tag="mail") == [plain, pro, vip]
    assert app.jobs(tag="mail", state="failed") == []
    assert (vip.meta, app.job(pro.id).tags) == ({}, pro.tags)


def test_many_at_once_and_a_text_in_them(app: Windlass, send: Task[..., int]) -> None:
    """B37: in bulk, by name, and where a text is looked for."""
    found = app.enqueue_many([send.request(number).but(tags=[f"lot{number}"]) for number in range(3)])
    other = app.enqueue_many([app.request("unknown", tags={"lot": 1})])
    assert [job.tags for job in found] == [("mail", "lot0"), ("mail", "lot1"), ("mail", "lot2")]
    # Ids are looked through as well; they have neither an L nor an O.
    assert (app.jobs(tag="lot1"), app.jobs(text="lot=1"), app.jobs(text="LOT2")) == ([found[1]], other, [found[2]])


def test_changes_of_many_jobs_by_tag(app: Windlass, send: Task[..., int]) -> None:
    """B37: retry, cancel and purge take the filter."""
    send.options(tags=["x"], attempts=1).enqueue_many([(-1,), (-2,)])
    waiting = send.options(tags=["y"], delay="1h").enqueue(1)
    other = send.options(delay="1h").enqueue(2)
    work(app)
    assert app.retry_all(tag="x", state="failed") == 2
    work(app)
    assert (app.cancel_all(tag="y", state="scheduled"), waiting.refresh().state) == (1, State.CANCELLED)
    assert (app.purge(tag="x", state="failed"), app.jobs(tag="x")) == (2, [])
    assert (other.refresh().state, app.jobs()) == (State.SCHEDULED, [other, waiting])


def test_tags_stay_with_their_job_and_go_with_it(
    app: Windlass, send: Task[..., int], raw_store: RawStore, clock: ManualClock
) -> None:
    """B37, A13: through runs and retries, until it is deleted or no longer kept."""
    done, failed = send.options(tags=["x"]).enqueue(1), send.options(tags=["x"], attempts=1).enqueue(-1)
    work(app)
    assert app.jobs(tag="x") == [failed, done]
    assert failed.retry().tags == ("mail", "x")
    failed.delete()
    assert (app.jobs(tag="x"), raw_store.tags()) == ([done], 2)
    clock.advance("400d")
    app.clean()
    assert (app.jobs(tag="x"), raw_store.tags()) == ([], 0)


def test_a_duplicate_keeps_the_tags_of_the_first(app: Windlass, send: Task[..., int]) -> None:
    """B37, B18: what a second enqueue of the same id asks for is dropped."""
    first = send.options(id="mine", tags=["x"]).enqueue(1)
    assert send.options(id="mine", tags=["y"]).enqueue(1).duplicate
    assert (app.jobs(tag="x"), app.jobs(tag="y"), app.job("mine").tags) == ([first], [], ("mail", "x"))


def test_what_is_no_tag_is_refused(app: Windlass, send: Task[..., int]) -> None:
    """B37: a clear error, and nothing is stored."""
    with pytest.raises(ConfigError, match="a job has at most 20, got 21"):
        send.options(tags=[f"{number}" for number in range(20)]).enqueue(1)  # the task has one more
    with pytest.raises(ConfigError, match="tag 7: use 1 to 128 printable characters"):
        app.jobs(tag=7)  # type: ignore[arg-type]
    assert app.jobs() == []


def test_jobs_of_earlier_releases_show_their_tags(app: Windlass, raw_store: RawStore) -> None:
    """B37: those were kept in the metadata."""
    [job] = app.enqueue_many([app.request("other", meta={"a": 1})])
    raw_store.damage(job, meta='{"meta":{"a":1},"tags":["old"]}')
    assert (job.refresh().tags, job.meta) == (("old",), {"a": 1})

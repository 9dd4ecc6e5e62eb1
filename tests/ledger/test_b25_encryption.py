"""Encrypted jobs: what is stored is unreadable without the keys, which can be replaced."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import pytest

from tests.ledger.apps import Apps, work
from tests.places.dump import dump_of, rows_of
from tests.places.place import Place
from tests.places.raw_store import RawStore
from windlass import (
    ConfigError,
    Job,
    JobFailed,
    NoKey,
    Progress,
    Results,
    State,
    Throttled,
    Unique,
    Windlass,
    current_job,
    group,
    new_encryption_key,
)
from windlass.core.encryption.keys import Keys
from windlass.insight.json_forms import job_detail
from windlass.testing import ManualClock

PLANTED = "planted-clear-text"
OLD = new_encryption_key()
NEW = new_encryption_key([OLD])
[OLD_ID] = Keys([OLD]).ids
[NEW_ID] = Keys([NEW]).ids


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    return with_tasks(new_app(encryption_keys=[OLD]))


def with_tasks(app: Windlass) -> Windlass:
    @app.task(name="echo")
    def echo(value: str) -> str:
        return value

    @app.task(name="fail", retry=False)
    def fail(text: str) -> None:
        raise ValueError(text)

    @app.task(name="tell")
    def tell(text: str) -> str:
        job = current_job()
        assert job is not None
        job.step("repeat", str.upper, text)
        job.progress(0.5, text)
        return str(job.wait_for(f"answer-{job.id}"))

    @app.task(name="throttled")
    def throttled(text: str) -> None:
        raise Throttled(text)

    @app.task(name="cached", cache="1h")
    def cached(text: str) -> str:
        return text

    @app.task(name="open", encrypt=False)
    def unencrypted(value: str) -> str:
        return value

    return app


def test_the_store_shows_no_clear_text(app: Windlass, place: Place, caplog: pytest.LogCaptureFixture) -> None:
    """B25: neither of arguments and metadata nor of results, errors, tracebacks, steps, events, progress, caches,
    cool-downs and schedules; nor do the worker's logs.
    """
    caplog.set_level(logging.DEBUG, "windlass")
    app.add_schedule("yearly", "echo", cron="0 0 1 1 *", args=[f"{PLANTED} s"], meta={"who": PLANTED})
    long = f"{PLANTED} " * 100
    jobs = [
        app.enqueue(app.request("echo", [PLANTED], meta={"who": PLANTED}, correlation_id=PLANTED)),
        app.enqueue("echo", long),
        app.enqueue(app.request("fail", [PLANTED], correlation_id=PLANTED)),
        app.enqueue("throttled", PLANTED),
        app.enqueue(app.request("cached", [PLANTED])),
        app.enqueue(app.request("echo", [PLANTED], unique=Unique())),
        app.schedule("yearly").run_now(),
    ]
    telling = app.enqueue("tell", PLANTED)
    app.send(f"answer-{telling.id}", PLANTED)
    work(app)
    assert b"echo" in dump_of(place)
    assert PLANTED.encode() not in dump_of(place)
    assert PLANTED.upper().encode() not in dump_of(place)
    assert PLANTED not in caplog.text
    assert PLANTED not in str([record.__dict__ for record in caplog.records if record.name.startswith("windlass")])
    assert [jobs[0].result(), jobs[1].result(), jobs[4].result()] == [PLANTED, long, PLANTED]
    assert (telling.result(), telling.refresh().progress) == (PLANTED, Progress(0.5, PLANTED))
    assert jobs[0].refresh().meta == {"who": PLANTED}
    assert jobs[6].refresh().schedule == "yearly"
    assert PLANTED in jobs[2].refresh().errors[0].traceback
    with pytest.raises(JobFailed, match=PLANTED):
        jobs[2].result()
    [group] = app.dead_groups()
    assert (group.error, group.message) == ("ValueError", PLANTED)


def test_a_job_whose_key_is_missing_waits_for_it(
    app: Windlass, new_app: Apps, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """B25: it is no failed job, whatever time has passed; its worker, ``why`` and its form name the key."""
    job = app.enqueue(app.request("echo", [PLANTED], meta={"who": PLANTED}))
    without = with_tasks(new_app())
    for _ in range(3):
        work(without)
        seen = without.job(job.id)
        assert (seen.state, seen.reason, seen.attempt) == (State.SCHEDULED, "no_key", 0)
        clock.advance(timedelta(hours=30))
    assert f"encrypted under the key {OLD_ID}" in caplog.text
    assert f"the encryption key {OLD_ID}" in seen.why()
    assert app.job(job.id).why() == without.job(job.id).why()
    form = job_detail(seen)
    assert form["args"] == form["kwargs"] == form["meta"] == {"encrypted": OLD_ID}
    assert (form["encrypted"], form["unreadable"]) == ({"payload": OLD_ID, "meta": OLD_ID}, [])
    assert without.claim() == []
    clock.advance(timedelta(hours=1))
    work(app)
    assert job.result() == PLANTED
    with pytest.raises(NoKey, match=OLD_ID) as missing:
        without.job(job.id).result()
    assert missing.value.key_id == OLD_ID
    assert job_detail(without.job(job.id))["result"] == {"encrypted": OLD_ID}


def test_swapped_rows_are_refused(app: Windlass, place: Place) -> None:
    """B25: a text is bound to its job and to its field."""
    one, other = (app.enqueue(app.request("echo", [value], meta={"n": value})) for value in ("1", "2"))
    raw = RawStore(place)
    assert other.as_stored.meta is not None
    raw.damage(one, payload=other.as_stored.payload)
    raw.damage(other, meta=one.as_stored.meta)
    work(app)
    for job in (one, other):
        assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "undecodable", 0)
    assert (one.unreadable, other.unreadable) == (("payload",), ("meta",))
    found = {(damage.kind, damage.subject, damage.detail) for damage in app.check().damages}
    assert found == {("text", one.id, "payload"), ("text", other.id, "meta")}


def test_a_flipped_bit_is_found(app: Windlass, place: Place) -> None:
    """B25, B32: as in a text that is not encrypted."""
    job = app.enqueue("echo", PLANTED)
    text = job.as_stored.payload
    place_of_change = len(text) // 2 + 20
    flipped = "A" if text[place_of_change] != "A" else "B"
    RawStore(place).damage(job, payload=text[:place_of_change] + flipped + text[place_of_change + 1 :])
    work(app)
    assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "undecodable", 0)


def everything(app: Windlass) -> list[Job[Any]]:
    """Jobs with all texts there are; the last waits."""
    told = app.enqueue(app.request("tell", [PLANTED], meta={"who": PLANTED}))
    failed = app.enqueue("fail", PLANTED)
    app.send(f"answer-{told.id}", PLANTED)
    work(app)
    waits = app.enqueue(app.request("tell", [PLANTED], meta={"who": PLANTED}, id="mine"))
    work(app)
    app.send("kept", PLANTED)
    return [told.refresh(), failed.refresh(), waits.refresh()]


def test_keys_are_replaced_while_work_goes_on(app: Windlass, new_app: Apps, place: Place) -> None:
    """B25: the first key encrypts, all decrypt; after a rekey the old one is not needed any more."""
    told, failed, waits = everything(app)
    app.add_schedule("yearly", "echo", cron="0 0 1 1 *", args=[PLANTED])
    both = with_tasks(new_app(encryption_keys=[NEW, OLD]))
    assert both.job(told.id).result() == PLANTED
    done = both.rekey()
    assert (done.is_complete, done.damaged, done.jobs) == (True, 0, 3)
    assert done.texts > 10
    assert OLD_ID.encode() not in rows_of(place)
    assert both.rekey().texts == 0
    fresh = with_tasks(new_app(encryption_keys=[NEW]))
    assert fresh.job(told.id).result() == PLANTED
    assert fresh.job(told.id).meta == {"who": PLANTED}
    assert fresh.job(told.id).progress == Progress(0.5, PLANTED)
    assert fresh.job(failed.id).errors[0].message == PLANTED
    assert fresh.schedule("yearly").settings.args == (PLANTED,)
    assert fresh.enqueue(fresh.request("tell", [PLANTED], id="mine")).duplicate
    fresh.send(f"answer-{waits.id}", "at last")
    work(fresh)
    assert fresh.job(waits.id).result() == "at last"


def test_a_key_that_a_schedule_still_needs_is_not_said_to_be_dispensable(app: Windlass, new_app: Apps) -> None:
    """B25: a walk without the old key is not complete while a schedule is under it."""
    app.add_schedule("yearly", "echo", cron="0 0 1 1 *", args=[PLANTED])
    done = with_tasks(new_app(encryption_keys=[NEW])).rekey()
    assert (done.is_complete, done.missing, done.texts) == (False, {OLD_ID: 1}, 0)
    both = with_tasks(new_app(encryption_keys=[NEW, OLD]))
    assert both.schedule("yearly").settings.args == (PLANTED,)
    assert (both.rekey().texts, both.rekey().is_complete) == (1, True)


def test_clear_rows_are_encrypted_when_asked(new_app: Apps, place: Place) -> None:
    """B25: what was stored before there were keys, as far as its task is encrypted."""
    before = with_tasks(new_app())
    jobs = everything(before)
    left = before.enqueue("open", "left as it is")
    assert PLANTED.encode() in rows_of(place)
    app = with_tasks(new_app(encryption_keys=[OLD]))
    assert app.rekey().texts == 0
    assert app.rekey(clear=True).is_complete
    assert PLANTED.encode() not in rows_of(place)
    assert app.job(jobs[0].id).encrypted.keys() == {"payload", "meta", "result", "progress"}
    assert app.job(jobs[1].id).encrypted.keys() == {"payload", "errors"}
    assert app.job(left.id).encrypted == {}
    assert app.job(jobs[0].id).result() == PLANTED
    assert app.job(jobs[1].id).errors[0].message == PLANTED


def test_a_rotation_does_not_break_what_makes_calls_equal(app: Windlass, new_app: Apps) -> None:
    """B25: unique keys, caches and ids of the caller's own tell equal calls before and after."""
    unique = app.enqueue(app.request("echo", [PLANTED], unique=Unique()))
    cached = app.enqueue("cached", PLANTED)
    own = app.enqueue(app.request("echo", [PLANTED], id="own"))
    after = with_tasks(new_app(encryption_keys=[NEW, OLD]))
    assert after.enqueue(after.request("echo", [PLANTED], unique=Unique())) == unique
    assert after.enqueue("cached", PLANTED) == cached
    assert after.enqueue(after.request("echo", [PLANTED], id="own")) == own
    unkeyed = with_tasks(new_app())
    assert unkeyed.enqueue(unkeyed.request("echo", [PLANTED], unique=Unique())) != unique


def test_a_job_that_is_replaced_opens_with_its_new_arguments(app: Windlass) -> None:
    """B25, B17: the new arguments are encrypted before it is known whose they become."""
    rule = Unique(by=(), until="started", on_conflict="replace")
    first, again = (app.enqueue(app.request("echo", [value], unique=rule)) for value in ("old", "new"))
    assert again == first
    assert again.replaced
    work(app)
    assert first.result() == "new"


def test_a_job_gets_encrypted_results_of_others(app: Windlass, new_app: Apps) -> None:
    """B25, B36: a worker without the key of a result leaves the job that wants it."""
    parent = app.enqueue("echo", PLANTED)
    work(app)
    child = app.enqueue(app.request("open", [], after=[parent], into="value"))
    without = with_tasks(new_app())
    work(without)
    assert (without.job(child.id).state, child.refresh().reason) == (State.SCHEDULED, "no_key")
    child.reschedule(0)
    work(app)
    assert child.result() == PLANTED


def test_the_callback_of_a_group_is_encrypted_and_gets_its_results(app: Windlass, place: Place) -> None:
    """B25, B35: its payload is of a format of its own, and is not taken for an encrypted one."""

    @app.task(name="gather")
    def gather(results: Results, title: str) -> str:
        return f"{title}: {', '.join(results)}"

    callback = app.request("gather", [f"of {PLANTED}"])
    flow = group([app.request("echo", [text]) for text in "ab"]).then(callback).enqueue(app)
    assert PLANTED.encode() not in dump_of(place)
    assert flow.last.refresh().encrypted["payload"] == OLD_ID
    work(app)
    assert flow.result(timeout=0) == f"of {PLANTED}: a, b"
    assert PLANTED.encode() not in dump_of(place)


def test_a_lost_worker_needs_no_key_to_be_noted(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """B25, A9: what rescue adds to encrypted errors is read with them."""
    job = app.enqueue(app.request("fail", [PLANTED], attempts=5, retry=None))
    [claimed] = app.claim(lease="1m")
    claimed.fail(PLANTED, delay=0)
    [again] = app.claim(lease="1m")
    assert again.args == (PLANTED,)
    clock.advance(timedelta(minutes=2))
    new_app().rescue()
    job.refresh()
    assert [fault.type for fault in job.errors] == ["error", "windlass.LeaseLost"]
    assert job.errors[0].message == PLANTED
    [last] = app.claim()
    last.progress(0.5, PLANTED)
    last.complete(PLANTED)
    assert job.refresh().encrypted.keys() == {"payload", "errors", "progress", "result"}
    assert (job.result(), len(job.errors)) == (PLANTED, 2)


def test_a_search_looks_into_what_is_clear_and_says_what_it_left_out(app: Windlass) -> None:
    """B25: what is encrypted cannot be searched; ids, tasks, queues, tags and other jobs can."""
    hidden, clear = app.enqueue("echo", PLANTED), app.enqueue("open", PLANTED)
    found = app.jobs(text=PLANTED)
    assert ([job.id for job in found], found.unsearched) == ([clear.id], 1)
    found = app.jobs(text=hidden.id[-10:])
    assert ([job.id for job in found], found.unsearched) == ([hidden.id], 0)
    assert app.jobs(text=PLANTED, task="open").unsearched == app.jobs(task="echo").unsearched == 0


def test_a_process_without_the_keys_does_not_search_in_ciphertext(app: Windlass, new_app: Apps) -> None:
    job = app.enqueue("echo", PLANTED)
    stored = job.as_stored.payload
    found = new_app().jobs(text=stored[60:70])
    assert (found, found.unsearched) == ([], 1)


def test_filters_by_encrypted_metadata_are_refused(app: Windlass) -> None:
    """B25: they would find nothing, and not say why."""
    with pytest.raises(ConfigError, match="meta: the metadata of these jobs is encrypted"):
        app.jobs(meta={"tenant": "a"})
    assert app.jobs(meta={"tenant": "a"}, task="open") == []

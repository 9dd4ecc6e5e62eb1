"""Calls that only look make no file, no schema and no key: where there is no store they say so.

Every public method, property and command is in one of two lists, and one that is in neither fails a test here.
"""

from __future__ import annotations

import asyncio
import inspect
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any

import pytest

from tests.places.fixtures import PlaceOn
from windlass import ClaimedJob, Job, Limit, Queue, State, StoreNotFound, StoreUnavailable, Task, Windlass, Worker
from windlass.admin.alerts import Alerts
from windlass.admin.archive import ArchivedJobs
from windlass.admin.tasks.rates import TaskRate

STORES = ("sqlite", "sqlite-stdlib", "postgres", "redis")

Look = Callable[[Any], object]


def _called(names: str, *args: object, **kwargs: object) -> dict[str, Look]:
    return {name: methodcaller(name, *args, **kwargs) for name in names.split()}


def _read(names: str) -> dict[str, Look]:
    return {name: attrgetter(name) for name in names.split()}


LOOKING: dict[type, dict[str, Look]] = {
    Windlass: {
        **_called("job ajob", "x"),
        **_called("jobs ajobs counts acounts dead_groups adead_groups queues aqueues overview aoverview"),
        **_called("check acheck check_code acheck_code tokens atokens audit aaudit dead_mutes adead_mutes"),
        **_called("worker_stacks aworker_stacks", "x"),
        **_called("workers aworkers cleanings acleanings schedules aschedules limits alimits"),
        **_called(
            "concurrency_limits aconcurrency_limits busy_keys abusy_keys figures afigures task_rates atask_rates"
        ),
        **_called("schedule aschedule", "x"),
        **_called("recompute_schedules arecompute_schedules"),
        # What changes jobs or workers looks for them first.
        **_called("fail afail revoke_token arevoke_token", "x"),
        **_called("dead_mute adead_mute", "0123456789ab", reason="known"),
        **_called("dead_unmute adead_unmute resume_task aresume_task", "0123456789ab"),
        **_called("cancel acancel retry aretry pause_worker apause_worker resume_worker aresume_worker", "x"),
        **_called("stop_worker astop_worker forget_worker aforget_worker", "x"),
        **_called("forget_lost_workers aforget_lost_workers"),
        **_called("retry_all aretry_all cancel_all acancel_all purge apurge", state="failed"),
    },
    Job: {
        **_read("args attempt correlation_id created_at errors errors_left_out fence finished_at kwargs log meta"),
        **_read("max_attempts priority progress queue reason record run_at started_at tags task unreadable worker"),
        **_read("schedule planned_at expires_at concurrency_key rate_key encrypted as_stored parents children"),
        **_called("refresh arefresh result aresult wait await_done cancel acancel retry aretry delete adelete"),
        **_called("fail afail"),
        **_called("timeline atimeline why awhy steps asteps group agroup aparents achildren flow aflow"),
        **_read("lease_expires_at"),
        **_called("alease_expires_at"),
        **_called("reschedule areschedule", "1m"),
    },
    Queue: {
        **_read("length"),
        **_called("alength length_of_all alength_of_all settings asettings peek apeek purge apurge delete adelete"),
    },
    ClaimedJob: {
        **_read("job args kwargs"),
        **_called("complete acomplete release arelease expires_at aexpires_at"),
        **_called("fail afail discard adiscard", "x"),
        **_called("extend aextend", "1m"),
        **_called("progress aprogress", 0.5),
    },
    Limit: _called("status astatus resume aresume delete adelete"),
    TaskRate: {
        **_called("settings asettings resume aresume reset areset"),
        **_called("configure aconfigure", rate="3/s"),
    },
    Alerts: {
        **_called("list alist firing afiring rules arules deliveries adeliveries"),
        **_called("get aget acknowledge aacknowledge resolve aresolve rule arule delete_rule adelete_rule", "x"),
        **_called("unsilence_rule aunsilence_rule", "x"),
        **_called("silence_rule asilence_rule", "x", "1h"),
        **_called("edit_rule aedit_rule", "x", window="1m"),
    },
    ArchivedJobs: {**_called("jobs ajobs"), **_called("job ajob restore arestore", "x")},
    Task: {},
    Worker: {},
}
"""What looks at the store, or changes only what it finds there."""

NOT_LOOKING: dict[type, str] = {
    Windlass: (
        "enqueue aenqueue enqueue_many aenqueue_many claim aclaim pause apause resume aresume rescue arescue promote "
        "rekey arekey apromote clean aclean migrate amigrate migration_sql amigration_sql worker run_worker aconfigure "
        "add_schedule aadd_schedule add_token aadd_token record_change arecord_change fire_due afire_due roll_up "
        "aroll_up send asend evaluate_alerts aevaluate_alerts "
        # no store is asked
        "alerts archive around_enqueue around_run close aclose command concurrency configure aconfigure cron every "
        "helper lease limit queue request store task task_rate tasks transaction "
        # a store that is not there is a finding
        "diagnose adiagnose"
    ),
    Job: "of stored done state",
    Queue: "configure aconfigure pause apause reset areset resume aresume",
    ClaimedJob: "guard",
    Limit: "acquire aacquire try_acquire atry_acquire drain adrain configure aconfigure",
    TaskRate: "",
    Alerts: "add_rule aadd_rule declare_rule channels test atest",
    ArchivedJobs: "at",
    Task: (
        "enqueue aenqueue enqueue_many aenqueue_many delay options request is_interruptible cache_clear acache_clear"
    ),
    Worker: (
        "start astart stop astop run_until_empty arun_until_empty drain pause apause resume status name lease queues "
        "concurrency is_stopped is_asked_to_stop wants_restart ended_count is_drained is_paused shares state"
    ),
}
"""What makes a store (enqueue, worker, migrate, duties, settings), or asks none."""


def _public(owner: type) -> Iterator[str]:
    for name in dir(owner):
        found = inspect.getattr_static(owner, name)
        if not name.startswith("_") and (
            inspect.isfunction(found) or isinstance(found, classmethod | staticmethod | property)
        ):
            yield name


@pytest.mark.parametrize("owner", LOOKING, ids=lambda owner: owner.__name__)
def test_every_public_name_looks_or_does_not(owner: type) -> None:
    looking, others = LOOKING[owner].keys(), set(NOT_LOOKING[owner].split())
    assert looking.isdisjoint(others)
    assert set(_public(owner)) == looking | others


@pytest.fixture(params=STORES)
def app(request: pytest.FixtureRequest, place_on: PlaceOn) -> Iterator[Windlass]:
    """An app whose store is not there."""
    with Windlass(_elsewhere(place_on(request.param).url), namespace="nobodys") as app:
        yield app


def _elsewhere(url: str) -> str:
    """The same store, but on SQLite a file that is not there."""
    return url.replace("jobs.db", "nobodys.db")


def test_who_looks_at_a_store_that_is_not_there_is_told_so_and_makes_none(app: Windlass, tmp_path: Path) -> None:
    handles: dict[type, Any] = {
        Windlass: app,
        Job: Job(app.client, "x", state=State.PENDING),
        Queue: app.queue("mail"),
        ClaimedJob: app.lease("x", 1),
        Limit: app.limit("x"),
        TaskRate: app.task_rate("x"),
        Alerts: app.alerts,
        ArchivedJobs: app.archive,
    }
    for owner, handle in handles.items():
        for name, look in LOOKING[owner].items():
            with pytest.raises(StoreNotFound, match=r"there is no store at .* \(namespace 'nobodys'\)") as raised:
                _done(look(handle))
            assert app.store in str(raised.value), name
    assert not app.client.session.exists()
    assert list(tmp_path.glob("nobodys*")) == []


def _done(answer: object) -> None:
    if inspect.iscoroutine(answer):
        coroutine: Coroutine[Any, Any, object] = answer
        asyncio.run(coroutine)


def test_the_sql_of_a_migration_is_shown_without_a_store(app: Windlass, tmp_path: Path) -> None:
    assert app.migration_sql() == asyncio.run(app.amigration_sql())
    assert not app.client.session.exists()
    assert list(tmp_path.glob("nobodys*")) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda app: app.enqueue("noop"),
        lambda app: app.migrate(),
        lambda app: app.rescue(),
        lambda app: app.promote(),
        lambda app: app.clean(),
        lambda app: asyncio.run(app.aclean()),
        lambda app: app.claim(),
        lambda app: app.queue("mail").configure(weight=3),
        lambda app: app.worker(["default"]).run_until_empty(),
    ],
    ids=["enqueue", "migrate", "rescue", "promote", "clean", "aclean", "claim", "configure", "worker"],
)
@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_what_makes_a_store_makes_it(place_on: PlaceOn, store: str, make: Look) -> None:
    place = place_on(store)
    with Windlass(_elsewhere(place.url), namespace=place.namespace) as app:
        with pytest.raises(StoreNotFound):
            app.counts()
        make(app)
        assert app.counts()["failed"] == 0


def test_a_store_that_somebody_else_makes_is_found(place_on: PlaceOn) -> None:
    place = place_on("redis")
    with Windlass(place.url, namespace=place.namespace) as app, Windlass(place.url, namespace=place.namespace) as other:
        with pytest.raises(StoreNotFound):
            app.counts()
        other.enqueue("noop")
        assert app.counts()["pending"] == 1
        app.enqueue("noop")
        assert other.counts()["pending"] == 2


def test_a_store_in_memory_is_always_there() -> None:
    with Windlass("sqlite:///:memory:") as app:
        assert app.jobs() == []


def test_a_file_of_another_program_is_no_store_and_stays_as_it_is(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.db") as shop:
        shop.execute("CREATE TABLE orders (number INTEGER)")
    shop.close()
    before = (tmp_path / "shop.db").read_bytes()
    with Windlass(f"sqlite:///{tmp_path}/shop.db") as app, pytest.raises(StoreNotFound):
        app.counts()
    assert (tmp_path / "shop.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["shop.db"]


def test_one_who_handles_a_store_that_is_away_handles_one_that_is_not_there() -> None:
    assert issubclass(StoreNotFound, StoreUnavailable)

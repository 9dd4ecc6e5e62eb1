"""What a worker is called, and what decides ownership."""

from __future__ import annotations

import os
import socket

import pytest

from tests.ledger.apps import work
from windlass import Windlass

VARIABLES = ("WINDLASS_WORKER_NAME", "WINDLASS_WORKER_VERSION", "WINDLASS_WORKER_ID")


@pytest.fixture(autouse=True)
def _environment(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)

    @app.task(name="noop")
    def noop() -> None: ...


def test_a_name_from_its_parts(app: Windlass) -> None:
    """C12: {prefix}-worker-{version}-{id}."""
    assert app.worker(name="shop", version="1.4", id="eu-3").name == "shop-worker-1.4-eu-3"


def test_parts_from_the_environment(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    """C12: each may come from there; an argument wins."""
    for variable, value in zip(VARIABLES, ("shop", "1.4", "eu-3"), strict=True):
        monkeypatch.setenv(variable, value)
    assert app.worker().name == "shop-worker-1.4-eu-3"
    assert app.worker(version="2").name == "shop-worker-2-eu-3"


def test_parts_that_nobody_gave(app: Windlass) -> None:
    """C12: host name and process id; a version that is not given has no place in the name."""
    assert app.worker().name == f"{socket.gethostname()}-worker-{os.getpid()}"


def test_what_is_blank_counts_as_not_given(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    """C12: in variables and in arguments."""
    for variable in VARIABLES:
        monkeypatch.setenv(variable, " ")
    assert app.worker(name="", version="", id="").name == f"{socket.gethostname()}-worker-{os.getpid()}"


def test_an_instance_is_random(app: Windlass) -> None:
    """C12: two workers of the same name are two; a worker that starts again is another."""
    ids = []
    for _ in range(2):
        with app.worker(name="shop", version="1", id="1"), app.worker(name="shop", version="1", id="1"):
            views = app.workers()
            assert {view.name for view in views} == {"shop-worker-1-1"}
            ids += [view.id for view in views]
    assert len(set(ids)) == 4


def test_jobs_name_their_worker(app: Windlass) -> None:
    """C12: for people; in the job, its timeline and its errors."""
    job = app.enqueue("noop")
    work(app, name="shop", version="1.4", id="eu-3")
    assert job.refresh().worker == "shop-worker-1.4-eu-3"
    assert job.timeline()[-1].worker == "shop-worker-1.4-eu-3"

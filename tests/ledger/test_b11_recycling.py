"""Child processes are replaced between jobs; worker processes are in tests/cli."""

from __future__ import annotations

import pytest

from tests.waiting import PATIENCE
from tests.worker.isolated.enqueue import enqueue
from tests.worker.isolated.tasks import isolated
from windlass import ConfigError, Windlass


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(("options", "task"), [({"child_max_jobs": 2}, "where"), ({}, "recycled")])
def test_a_child_runs_so_many_jobs_and_no_more(app: Windlass, options: dict[str, int], task: str) -> None:
    """B11: by the worker's limit or by the task's own."""
    isolated(app)
    with app.worker(children=1, **options):  # type: ignore[arg-type]  # mypy takes all of them for one kind
        ran = [enqueue(app, task).result(timeout=PATIENCE) for _ in range(4)]
    assert ran[0] == ran[1]
    assert ran[1] != ran[2]
    assert ran[2] == ran[3]


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(("options", "task"), [({"child_max_memory": "150MB"}, "leak"), ({}, "swollen")])
def test_a_child_that_grew_too_large_runs_no_more_jobs(app: Windlass, options: dict[str, str], task: str) -> None:
    """B11: by the worker's limit or by the task's own; the job that made it grow is not harmed."""
    isolated(app)
    with app.worker(children=1, **options):  # type: ignore[arg-type]  # mypy takes all of them for one kind
        ran = [enqueue(app, task, megabytes).result(timeout=PATIENCE) for megabytes in (1, 200, 1)]
    assert ran[0] == ran[1]
    assert ran[1] != ran[2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"children": 0}, "children"),
        ({"child_max_jobs": 0}, "child_max_jobs"),
        ({"child_max_memory": "much"}, "child_max_memory"),
    ],
)
def test_limits_that_make_no_sense_are_refused(app: Windlass, options: dict[str, object], words: str) -> None:
    """B11: by their name."""
    isolated(app)
    with pytest.raises(ConfigError, match=words):
        app.worker(**options)  # type: ignore[arg-type]

"""What a start does not import: thousands of processes pay for each module, most of them in vain."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ledger.apps import Apps
from tests.places.place import Place
from tests.waiting import PATIENCE

_SERVING = ("windlass.web", "starlette", "uvicorn", "jinja2", "http.server")
_PRINTING = ("rich", "windlass.cli.views.jobs", "windlass.cli.top", "windlass.cli.demo")
_OPERATING = (
    "windlass.admin.alerts",
    "windlass.admin.archive",
    "windlass.admin.move",
    "windlass.admin.rekey",
    "windlass.admin.tasks.rates",
    "windlass.archive.files",
    "windlass.archive.table",
    "windlass.delivery.mail",
    "windlass.delivery.webhook",
    "windlass.insight.access",
    "windlass.insight.alerts",
    "windlass.insight.diagnostics",
    "windlass.insight.figures",
    "windlass.insight.flows",
    "windlass.insight.job_page",
    "windlass.insight.json_forms",
    "windlass.insight.limits",
    "windlass.insight.overview",
    "windlass.insight.timeline",
    "windlass.insight.why",
)
"""What only people and programs ask that look after a store."""
_TESTING = ("windlass.testing", "pytest")
_NEVER = (*_SERVING, *_PRINTING, *_OPERATING, *_TESTING, "tomllib")
_LIBRARIES = {
    "sqlite": ("psycopg", "redis", "asyncio", "ssl", "importlib.resources"),
    "postgresql": ("apsw", "sqlite3", "redis"),
    "redis": ("apsw", "sqlite3", "psycopg"),
}
"""What belongs to other stores. The libraries of PostgreSQL and Redis import asyncio and more themselves."""
_SAY = "import sys; print(*sys.modules)"

_PROGRAM = """
import sys
from windlass import Windlass
app = Windlass({url!r}, namespace={namespace!r})

@app.task(name="modules")
def modules() -> list[str]:
    return list(sys.modules)

@app.task(name="modules_of_a_child", isolation="process")
def modules_of_a_child() -> list[str]:
    return list(sys.modules)
"""


def _modules_after(code: str, folder: Path) -> set[str]:
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def _unwanted(imported: set[str], *unwanted: str) -> list[str]:
    """What was imported of these modules, and of those below them."""
    return sorted(name for name in imported if any(name == one or name.startswith(f"{one}.") for one in unwanted))


def test_importing_the_package_imports_no_store_and_no_app(tmp_path: Path) -> None:
    """pytest does so wherever Windlass is installed, whether it is used or not."""
    imported = _modules_after(f"import windlass; {_SAY}", tmp_path)
    unwanted = ("windlass.app", "windlass.client", "windlass.store", "windlass.worker", "windlass.cli", "click")
    assert _unwanted(imported, *_NEVER, *unwanted, "asyncio", "apsw", "sqlite3", "psycopg", "redis") == []


def test_an_app_that_enqueues_imports_neither_the_worker_nor_what_operators_use(tmp_path: Path) -> None:
    code = "import windlass; windlass.Windlass('sqlite:///jobs.db').enqueue('mail'); "
    imported = _modules_after(code + _SAY, tmp_path)
    unwanted = ("windlass.worker", "windlass.cli", "click", "multiprocessing", *_LIBRARIES["sqlite"])
    assert _unwanted(imported, *_NEVER, *unwanted) == []


def test_a_worker_and_its_child_import_what_they_need(place: Place, new_app: Apps, tmp_path: Path) -> None:
    """Of a worker that runs a job, and of a child process that does."""
    (tmp_path / "jobs.py").write_text(_PROGRAM.format(url=place.url, namespace=place.namespace))
    app = new_app()
    here, in_child = app.enqueue("modules"), app.enqueue("modules_of_a_child")
    command = [sys.executable, "-m", "windlass", "worker", "--app", "jobs", "--burst"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    worker, child = set(here.result(timeout=PATIENCE)), set(in_child.result(timeout=PATIENCE))
    unwanted = (*_NEVER, *_LIBRARIES[place.url.partition(":")[0]])
    assert "windlass.worker.worker" in worker
    assert _unwanted(worker, *unwanted) == []
    assert "windlass.worker.executors.processes.child_side.main" in child
    assert _unwanted(child, *unwanted, "windlass.cli", "click") == []


@pytest.mark.only_on("sqlite")
def test_a_worker_with_coroutines_has_its_loop_before_it_starts(place: Place, tmp_path: Path) -> None:
    """Later there may be no file descriptor left for an import."""
    code = f"""
from windlass import Windlass
app = Windlass({place.url!r})

@app.task
async def wait() -> None: ...

app.worker()
"""
    assert "windlass.worker.executors.event_loop.loop_thread" in _modules_after(code + _SAY, tmp_path)


_SOURCE = Path(__file__).parents[2] / "src" / "windlass"
_LAZY = [path for path in sorted(_SOURCE.rglob("*.py")) if "= lazy_names(" in path.read_text()]


@pytest.mark.parametrize("path", _LAZY, ids=lambda path: str(path.relative_to(_SOURCE)))
def test_a_type_checker_sees_what_a_program_imports_when_it_is_used(path: Path) -> None:
    """Names that are imported lazily stand in their module twice: for type checkers, and for the import."""
    [found] = [
        node
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    for_checkers = {
        alias.name: node.module for node in found.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    [for_programs] = [node for part in found.orelse for node in ast.walk(part) if isinstance(node, ast.Dict)]

    assert for_checkers == ast.literal_eval(for_programs)

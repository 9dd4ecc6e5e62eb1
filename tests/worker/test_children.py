"""What jobs may do to their child process, and what the next job there, the worker and the machine notice of it."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest

from tests.ledger.apps import failure_of
from tests.leeway import leeway
from tests.waiting import PATIENCE, eventually
from tests.worker.isolated import foreign_function, unimportable
from tests.worker.isolated.enqueue import enqueue
from tests.worker.isolated.tasks import isolated, undecorated
from windlass import ConfigError, JobCancelled, State, Windlass
from windlass.core.ending import Ending
from windlass.testing import drain, inline, manual
from windlass.worker.executors.processes.executor import ProcessExecutor
from windlass.worker.runs.dispatcher import Executor
from windlass.worker.runs.run import Run

pytestmark = pytest.mark.only_on("sqlite")
"""A child never sees a store; what a store has to do with children is in ``test_processes.py``."""


@pytest.fixture
def crew(app: Windlass) -> Windlass:
    isolated(app)
    return app


def is_alive(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_coroutine_that_waits_is_cancelled(crew: Windlass, tmp_path: Path) -> None:
    """C5: its loop is asleep and has to be woken."""
    with crew.worker(children=1):
        child = enqueue(crew, "awhere").result(timeout=PATIENCE)
        job = enqueue(crew, "sleeps", str(tmp_path / "begun"))
        eventually((tmp_path / "begun").exists, "it runs")
        job.cancel()
        with pytest.raises(JobCancelled):
            job.result(timeout=PATIENCE)
        assert enqueue(crew, "awhere").result(timeout=PATIENCE) == child, "nothing had to be killed"


@pytest.mark.parametrize("task", ["leaves_a_mark", "aleaves_a_mark"])
def test_what_a_job_sets_in_its_context_does_not_reach_the_next(crew: Windlass, task: str) -> None:
    with crew.worker(children=1):
        assert [enqueue(crew, task).result(timeout=PATIENCE) for _ in range(3)] == ["nothing"] * 3


def test_a_child_is_replaced_after_so_many_jobs_of_a_task(crew: Windlass) -> None:
    """B11: the task's own limit counts its own jobs."""
    with crew.worker(children=1):
        other, _ = enqueue(crew, "where").result(timeout=PATIENCE)
        children = [enqueue(crew, "recycled").result(timeout=PATIENCE) for _ in range(5)]
    assert children[:2] == [other, other]
    assert [len(set(children[at : at + 2])) for at in (0, 2, 4)] == [1, 1, 1]
    assert len(set(children)) == 3


def test_many_jobs_at_once_share_children_that_are_replaced(crew: Windlass) -> None:
    """B11: no child runs one more than it may, whatever it was given ahead."""
    with crew.worker(children=1, child_max_jobs=100):
        jobs = crew.enqueue_many([crew.request("where") for _ in range(250)])
        children = [job.result(timeout=PATIENCE)[0] for job in jobs]
    assert sorted(children.count(child) for child in set(children)) == [50, 100, 100]
    assert {(job.refresh().attempt, len(job.errors)) for job in jobs} == {(1, 0)}


def test_a_child_in_which_a_task_left_too_much_is_replaced(crew: Windlass) -> None:
    """B11: the task's own memory limit; the job that went above it is not harmed."""
    with crew.worker(children=1):
        small = [enqueue(crew, "swollen", 1).result(timeout=PATIENCE) for _ in range(2)]
        large = enqueue(crew, "swollen", 200).result(timeout=PATIENCE)
        after = enqueue(crew, "swollen", 1).result(timeout=PATIENCE)
    assert (small[0], small[1]) == (large, large)
    assert after != large


@pytest.mark.parametrize(("task", "args"), [("unstorable", ()), ("long_text", (2 << 20,))])
def test_a_result_that_cannot_be_stored_fails_the_job_at_once(
    crew: Windlass, task: str, args: tuple[object, ...]
) -> None:
    """P2: the work is done, so it is not done again."""
    with crew.worker(children=1):
        job = enqueue(crew, task, *args)
        assert failure_of(job).reason == "result"
        assert job.refresh().attempt == 1
        assert enqueue(crew, "echo", 1).result(timeout=PATIENCE) == 1


def test_large_arguments_and_results_pass(crew: Windlass) -> None:
    """Far more than a pipe holds, both ways at once, while children are busy."""
    text = "x" * 900_000
    with crew.worker(children=2, concurrency=8):
        enqueue(crew, "echo", 1).result(timeout=PATIENCE)
        jobs = crew.enqueue_many([crew.request("echo", [f"{number}{text}"]) for number in range(24)])
        assert [str(job.result(timeout=PATIENCE))[:3] for job in jobs] == [f"{n}{text}"[:3] for n in range(24)]


def test_sys_exit_is_a_failed_attempt(crew: Windlass) -> None:
    """W17: the child lives on."""
    with crew.worker(children=1):
        child, _ = enqueue(crew, "where").result(timeout=PATIENCE)
        assert failure_of(enqueue(crew, "exits", attempts=1)).type == "SystemExit"
        assert enqueue(crew, "where").result(timeout=PATIENCE)[0] == child


def test_closed_standard_files_are_no_trap_for_the_next_job(crew: Windlass, tmp_path: Path) -> None:
    """W17: the next file that is opened does not take the place of stdout."""
    with crew.worker(children=1):
        enqueue(crew, "closes_standard_files").result(timeout=PATIENCE)
        number, text = enqueue(crew, "opens_a_file", str(tmp_path / "file")).result(timeout=PATIENCE)
    assert number > 2
    assert text == ""


def test_the_next_job_starts_in_the_same_folder(crew: Windlass, tmp_path: Path) -> None:
    """W17: even if the folder to which a job went is gone."""
    with crew.worker(children=1):
        folders = [enqueue(crew, "moves_away", str(tmp_path)).result(timeout=PATIENCE) for _ in range(3)]
    assert folders == [os.getcwd()] * 3


def test_signal_handlers_of_a_job_end_with_it(crew: Windlass, tmp_path: Path) -> None:
    """W17: the next job can be stopped as ever."""
    with crew.worker(children=1):
        child, _ = enqueue(crew, "where").result(timeout=PATIENCE)
        enqueue(crew, "takes_over_signals").result(timeout=PATIENCE)
        job = enqueue(crew, "wait_for", str(tmp_path / "never"))
        eventually((tmp_path / "never.begun").exists, "it runs")
        os.kill(child, signal.SIGINT)
        job.cancel()
        with pytest.raises(JobCancelled):
            job.result(timeout=PATIENCE)
        assert enqueue(crew, "where").result(timeout=PATIENCE)[0] == child, "nothing had to be killed"


def test_no_memory_is_an_error_like_any_other(crew: Windlass) -> None:
    """W5: Python notices, and says so."""
    with crew.worker(children=1):
        assert failure_of(enqueue(crew, "swallows_memory", attempts=1)).type == "MemoryError"
        assert enqueue(crew, "echo", 1).result(timeout=PATIENCE) == 1


def test_no_memory_in_c_code_is_a_death(crew: Windlass) -> None:
    """W5: the next job runs in another child."""
    with crew.worker(children=1):
        failed = failure_of(enqueue(crew, "writes_to_nowhere", attempts=1))
        assert failed.reason == "crashed"
        assert "SIGSEGV" in (failed.message or "")
        assert enqueue(crew, "echo", 1).result(timeout=PATIENCE) == 1


def test_a_job_may_start_processes_of_its_own(crew: Windlass) -> None:
    """W14: a child is no daemon, so libraries that use processes work in it."""
    with crew.worker(children=1):
        assert enqueue(crew, "starts_processes").result(timeout=PATIENCE) == 6


def test_a_process_that_a_job_forked_ends_by_sigterm(crew: Windlass) -> None:
    """W14: at once, also while it is being made; the child's own handler is for the worker's signals."""
    with crew.worker(children=1):
        assert enqueue(crew, "ends_copies", 20).result(timeout=PATIENCE) == [-signal.SIGTERM] * 20


def test_a_job_may_fork_from_threads(crew: Windlass) -> None:
    """W14: a hundred times, while another thread logs."""
    with crew.worker(children=1):
        assert enqueue(crew, "forks_from_threads", 50).result(timeout=PATIENCE) == 100
        assert enqueue(crew, "echo", 1).result(timeout=PATIENCE) == 1


def test_a_forked_copy_of_a_child_does_not_answer(crew: Windlass, tmp_path: Path) -> None:
    """W14: the job returned once as far as anybody can tell, and the copy is gone."""
    copy = tmp_path / "copy"
    with crew.worker(children=1):
        job = enqueue(crew, "returns_twice", str(copy))
        child, _ = enqueue(crew, "where").result(timeout=PATIENCE)
        assert job.result(timeout=PATIENCE) == child
        eventually(lambda: not is_alive(int(copy.read_text())), "the copy is gone")


def test_a_death_is_seen_while_a_forked_process_lives_on(crew: Windlass, tmp_path: Path) -> None:
    """W14: whoever else holds copies of the pipes."""
    forked = tmp_path / "forked"
    with crew.worker(children=1):
        failed = failure_of(enqueue(crew, "forks_and_dies", str(forked), attempts=1))
        assert "SIGKILL" in (failed.message or "")
    os.kill(int(forked.read_text()), signal.SIGKILL)


def test_a_program_that_a_job_waits_for_dies_with_it(
    crew: Windlass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B8: a job that has to be killed takes what it started along."""
    monkeypatch.setattr("windlass.worker.executors.processes.executor._KILL_AFTER", 0.5)
    program = tmp_path / "program"
    with crew.worker(children=1):
        failed = failure_of(enqueue(crew, "starts_a_program", str(program), timeout=2, attempts=1))
        assert failed.reason == "timeout"
        eventually(lambda: not is_alive(int(program.read_text())), "the program is gone")


def test_a_stop_takes_everything_back_that_a_child_holds(crew: Windlass, tmp_path: Path) -> None:
    """B7: what runs there and what it was given ahead, all of it uncharged, and no process is left."""
    with crew.worker(concurrency=6, children=1, grace=0):
        child, _ = enqueue(crew, "where").result(timeout=PATIENCE)
        for number in range(30):
            enqueue(crew, "echo", number).result(timeout=PATIENCE)
        jobs = crew.enqueue_many(
            [crew.request("wait_for", [str(tmp_path / "never")], priority=1)] + [crew.request("echo", [1])] * 4
        )
        eventually((tmp_path / "never.begun").exists, "it runs")
    assert {(job.refresh().state, job.attempt) for job in jobs} == {(State.PENDING, 0)}
    eventually(lambda: not is_alive(child), "the child is gone")


def test_a_second_signal_does_not_cut_off_the_clean_up_of_a_run_that_stops(crew: Windlass, tmp_path: Path) -> None:
    """C5: the signal is sent again while a run is inside our code, and may come when the first was heard after all."""
    with crew.worker(children=1):
        job = enqueue(crew, "cleans_up", str(tmp_path / "it"))
        eventually((tmp_path / "it.begun").exists, "it runs")
        job.cancel()
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED
        assert (tmp_path / "it.cleaned").exists()


def test_a_stop_leaves_no_process_whatever_its_job_does(crew: Windlass, tmp_path: Path) -> None:
    """B7: one that will not stop is killed, uncharged."""
    with crew.worker(children=1, grace=0):
        child, _ = enqueue(crew, "where").result(timeout=PATIENCE)
        job = enqueue(crew, "deaf", str(tmp_path / "deaf"))
        eventually((tmp_path / "deaf.begun").exists, "it runs")
        stopped = monotonic()
    eventually(lambda: not is_alive(child), "the child is gone")
    assert monotonic() - stopped < leeway(4), "it was killed because it should have stopped, not as one left behind"
    assert (job.refresh().state, job.attempt) == (State.PENDING, 0)


def test_a_module_that_children_cannot_import_fails_its_jobs(app: Windlass) -> None:
    """W5: with the error of the import, as an attempt like any other; the child lives on."""
    isolated(app)
    app.task(name="never", isolation="process")(unimportable.never.function)
    with app.worker(children=1):
        child, _ = enqueue(app, "where").result(timeout=PATIENCE)
        failed = failure_of(enqueue(app, "never", attempts=1))
        assert (failed.type, failed.message) == ("ImportError", "this machine lacks a library")
        assert enqueue(app, "where").result(timeout=PATIENCE)[0] == child


def test_a_function_from_elsewhere_is_found_through_its_app() -> None:
    """B6: children look where the app is, too."""
    with foreign_function.app.worker(children=1):
        result = foreign_function.plain.enqueue(1).result(timeout=PATIENCE)
    assert result > 1
    assert result != os.getpid() + 1


def test_a_function_and_an_app_that_no_child_can_find_are_refused(app: Windlass) -> None:
    app.task(name="plain", isolation="process")(undecorated)
    with pytest.raises(ConfigError, match="top level of a module"):
        app.worker()


def test_tests_run_isolated_tasks_in_their_own_process(crew: Windlass) -> None:
    """The modes for tests start no process."""
    with inline(crew):
        assert enqueue(crew, "where").result() == (os.getpid(), os.getppid())
    with manual(crew):
        job = enqueue(crew, "awhere")
        drain(crew)
        assert job.result() == os.getpid()


def test_a_run_that_comes_right_after_another_is_looked_after(
    crew: Windlass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two there is nothing to look after, and the thread that looks after children goes to sleep."""
    short = enqueue(crew, "echo", 1)
    limited = enqueue(crew, "wait_for", str(tmp_path / "never"), timeout=0.1, attempts=2)
    worker = crew.worker(["default"], concurrency=2, children=1)
    children, dispatcher = worker._dispatcher.processes, worker._dispatcher
    assert isinstance(children, ProcessExecutor)
    finished = dispatcher.finished

    def after_the_look(run: Run, ending: Ending, executor: Executor) -> Run | None:
        # On a busy machine the next run may have come in by another way, and keeps that thread awake.
        eventually(
            lambda: children._is_at_rest or children._waiting or any(child.runs for child in children._children),
            "nothing is left to look after",
        )
        return finished(run, ending, executor)

    monkeypatch.setattr(dispatcher, "finished", after_the_look)
    with worker:
        assert short.result(timeout=PATIENCE) == 1
        eventually(lambda: limited.refresh().state == State.RETRYING, "its first attempt has run out of time")

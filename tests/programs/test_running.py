"""What a program is given, and what it gives."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.ledger.apps import failure_of
from tests.programs.running_programs import await_end, children, number_in, open_pipes, result_of, run, shell
from tests.waiting import PATIENCE
from windlass import ActiveJob, ConfigError, State, Windlass, command


def test_what_it_prints_is_the_result(app: Windlass) -> None:
    result = result_of(app, shell("echo out; echo err >&2"))
    assert result == {"exit_code": 0, "stdout": "out\n", "stderr": "err\n", "stdout_cut": 0, "stderr_cut": 0}


def test_words_reach_the_program_as_they_are(app: Windlass) -> None:
    """No shell sees them."""
    words = ["a b", "$HOME", "*", "; rm -rf x", "'\"", "ä€"]
    code = "import sys; print(sys.argv[1:])"
    assert result_of(app, command([sys.executable, "-I", "-c", code, *words]))["stdout"] == f"{words}\n"


@pytest.mark.parametrize("stdin", ["däta", "däta".encode()])
def test_it_reads_what_it_is_given(app: Windlass, stdin: str | bytes) -> None:
    assert result_of(app, command(["cat"], stdin=stdin))["stdout"] == "däta"


def test_without_stdin_there_is_nothing_to_read(app: Windlass) -> None:
    assert result_of(app, command(["cat"]))["stdout"] == ""


def test_it_need_not_read_what_it_is_given(app: Windlass) -> None:
    """More than a pipe holds, so that writing it would block or break."""
    assert result_of(app, command(["true"], stdin="a" * 500_000))["exit_code"] == 0


def test_reading_and_writing_a_lot_at_once_does_not_block(app: Windlass) -> None:
    result = result_of(app, command(["cat"], stdin="0123456789" * 50_000, output_limit=100))
    assert result["stdout_cut"] == 500_000 - 100


def test_the_head_and_the_tail_of_a_long_output_are_kept(app: Windlass) -> None:
    result = result_of(app, shell("seq 1 100000; seq 1 9 >&2", output_limit=40))
    assert result["stdout"].startswith("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n[588,855 bytes cut]\n")
    assert result["stdout"].endswith("\n99999\n100000\n")
    assert (result["stdout_cut"], result["stderr_cut"]) == (588_895 - 40, 0)
    assert result["stderr"] == "1\n2\n3\n4\n5\n6\n7\n8\n9\n"


def test_what_is_no_text_can_be_stored(app: Windlass) -> None:
    assert result_of(app, shell(r"printf 'a\000b\377c'"))["stdout"] == "a�b�c"


def test_it_gets_a_small_environment(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's own may hold secrets."""
    monkeypatch.setenv("WINDLASS_URL", "postgresql://user:secret@host/db")
    monkeypatch.setenv("LC_ALL", "C")
    lines = result_of(app, command(["env"], env={"MORE": "1"}))["stdout"].splitlines()
    assert {"LC_ALL=C", "MORE=1"} <= set(lines)
    assert any(line.startswith("PATH=") for line in lines)
    assert "secret" not in "".join(lines)


def test_its_environment_can_be_replaced(app: Windlass) -> None:
    """All but the mark by which it is found when its worker dies."""
    lines = result_of(app, command(["/usr/bin/env"], env={"ONLY": "1"}, replace_env=True))["stdout"].splitlines()
    assert [line for line in lines if not line.startswith("WINDLASS_GUARDED=")] == ["ONLY=1"]


def test_it_runs_where_it_is_told_to(app: Windlass, tmp_path: Path) -> None:
    assert result_of(app, command(["pwd", "-P"], cwd=str(tmp_path)))["stdout"] == f"{tmp_path.resolve()}\n"


def test_it_can_be_kept_in_a_folder(app: Windlass, tmp_path: Path) -> None:
    """The folder itself by default, and what lies below it."""
    jail = tmp_path / "jail"
    (jail / "below").mkdir(parents=True)
    for cwd, seen in [(None, jail), ("below", jail / "below"), (str(jail / "below"), jail / "below")]:
        result = result_of(app, command(["pwd", "-P"], cwd=cwd), commands_folder=jail)
        assert result["stdout"] == f"{seen.resolve()}\n"


@pytest.mark.parametrize("cwd", ["..", "/", "../jail-not", "link", "below/../.."])
def test_it_cannot_be_led_out_of_its_folder(app: Windlass, tmp_path: Path, cwd: str) -> None:
    """Neither by a path nor by a link; it does not run at all, now or later."""
    jail, outside = tmp_path / "jail", tmp_path / "jail-not"
    (jail / "below").mkdir(parents=True)
    outside.mkdir()
    (jail / "link").symlink_to(outside)
    run(app, command(["touch", "was-here"], cwd=cwd), commands_folder=jail)
    [job] = app.jobs()
    assert (job.state, job.reason, job.attempt) == (State.FAILED, "permanent", 1)
    assert "leads out of the folder" in job.errors[0].message
    assert not list(tmp_path.rglob("was-here"))


def test_a_folder_that_is_not_there_is_an_error_at_once(app: Windlass, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no folder"):
        app.worker(allow_commands=True, commands_folder=tmp_path / "missing")


def test_a_folder_without_leave_is_an_error_at_once(app: Windlass, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="set allow_commands=True"):
        app.worker(["default"], commands_folder=tmp_path)


def test_a_program_that_is_not_there_is_a_failed_attempt(app: Windlass) -> None:
    """Another worker may have it."""
    run(app, command(["no-such-program"]))
    [job] = app.jobs()
    assert (job.state, job.attempt) == (State.RETRYING, 1)
    assert "no-such-program cannot be started here" in job.errors[0].message


def test_a_command_that_others_wrote_badly_fails_at_once(app: Windlass) -> None:
    """Here, one that was stored past the checks."""
    request = command(["true"])
    app.enqueue_many([type(request)(request.task, ("ls -l",), {}, request.options)])
    app.enqueue_many([type(request)(request.task, (["ls"],), {"shell": True}, request.options)])
    run(app)
    assert [(job.state, job.reason) for job in app.jobs()] == [(State.FAILED, "permanent")] * 2
    assert all("this is no command" in job.errors[0].message for job in app.jobs())


def test_what_it_leaves_running_ends_with_it(app: Windlass, tmp_path: Path) -> None:
    """Also when that holds on to the pipes."""
    file = tmp_path / "pid"
    assert result_of(app, shell('sleep 1000 & echo $! > "$1"; echo started', file))["stdout"] == "started\n"
    await_end(number_in(file))


def test_nothing_of_it_is_left_in_the_worker(app: Windlass) -> None:
    """No zombie, no open file; whether it succeeds, fails or cannot be started."""
    requests = [
        command(argv, attempts=1, stdin=stdin)
        for argv in (["true"], ["false"], ["nowhere"], ["cat"], ["sh", "-c", "echo x >&2"])
        for stdin in (None, "text")
    ]

    def left_behind() -> tuple[set[int], int]:
        for job in app.enqueue_many(requests * 4):
            job.wait(timeout=PATIENCE)
        return children(), open_pipes()

    with app.worker(allow_commands=True, concurrency=2):
        assert left_behind() == left_behind()


def test_a_failure_says_what_the_program_said_last(app: Windlass) -> None:
    job = app.enqueue(shell("echo one >&2; echo two >&2; exit 3", attempts=1))
    app.worker(allow_commands=True).run_until_empty()
    failed = failure_of(job)
    assert (failed.type, failed.message) == ("windlass.errors.CommandFailed", "sh exited with code 3: one\ntwo")


def test_hooks_are_around_commands_too(app: Windlass) -> None:
    seen: list[object] = []

    @app.around_run
    def watch(job: ActiveJob) -> Generator[None, Any, None]:
        result = yield
        seen.append((job.task, result["stdout"]))

    result_of(app, command(["echo", "hi"]))
    assert seen == [("windlass.command", "hi\n")]

"""How fast worker processes empty a queue: what all drains share.

The jobs are there before the workers start. The time runs from the first claim of a timed job to the last ending, both
as the store noted them; the worker processes are told nothing and asked nothing meanwhile.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Round
from benchmarks.processes.worker import worker_process
from benchmarks.server import Meter
from benchmarks.subject import Subject
from windlass import Job, Windlass

_PAGE = 5_000


def drain(round: Round, *, executor: str, processes: int = 1, hooked: bool = False) -> Figures:
    """Jobs per second of so many worker processes together, and the CPU time that a job costs them and the server."""
    warm_up, timed = round.scale.warm_up_jobs, round.scale.drain_jobs
    subject = Subject(round.place)
    jobs = subject.preload(warm_up + timed, executor=executor)
    with ExitStack() as stack:
        workers = [stack.enter_context(worker_process(round.place, hooked=hooked)) for _ in range(processes)]
        meter = Meter(round.server)
        cpu = -sum(worker.ask("start")["cpu"] for worker in workers)
        subject.wait_for_all(jobs, completed=len(jobs))
        cpu += sum(worker.ask("usage")["cpu"] for worker in workers)
        of_server = meter.per_job(len(jobs))
    seconds = elapsed(subject.app, jobs[warm_up:])
    subject.app.close()
    return {
        "jobs_per_second": timed / seconds,
        "cpu_us_per_job": cpu / len(jobs) * 1e6,
        **of_server,
        "seconds": seconds,
    }


def cpu_lines(key: str, drained: str) -> tuple[Line, Line]:
    """What a job cost; a store without a server has nothing in the second of these lines."""
    return (
        Line(
            key=f"cpu-{key}", title=f"worker CPU per job, {drained}", figure="cpu_us_per_job", unit="µs", better="less"
        ),
        Line(
            key=f"server-cpu-{key}",
            title=f"server CPU per job, {drained}",
            figure="server_cpu_us_per_job",
            unit="µs",
            better="less",
        ),
    )


def elapsed(app: Windlass, timed: list[Job[Any]]) -> float:
    """From the first claim of these jobs to the last ending; the store keeps milliseconds."""
    ids = {job.id for job in timed}
    claimed: list[int] = []
    finished: list[int] = []
    cursor = None
    while True:
        page = app.jobs(limit=_PAGE, cursor=cursor)
        records = [job.record for job in page if job.id in ids]
        claimed += [record.claimed_at for record in records if record.claimed_at is not None]
        finished += [record.finished_at for record in records if record.finished_at is not None]
        cursor = page.next
        if cursor is None:
            break
    if not len(claimed) == len(finished) == len(timed):
        raise RuntimeError(
            f"{len(timed)} jobs were timed, the store has {len(claimed)} claims, {len(finished)} endings"
        )
    return max(1, max(finished) - min(claimed)) / 1000

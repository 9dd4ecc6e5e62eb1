"""What a worker process needs while there is nothing to do, after it has run some jobs of both kinds."""

from __future__ import annotations

import time

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.processes.worker import worker_process
from benchmarks.server import Meter
from benchmarks.subject import Subject


def measure(round: Round) -> Figures:
    subject = Subject(round.place)
    jobs = [subject.preload(round.scale.warm_up_jobs, executor=executor) for executor in subject.noops]
    with worker_process(round.place) as worker:
        worker.ask("start")
        subject.wait_for_all(jobs[-1], completed=sum(map(len, jobs)))
        time.sleep(round.scale.rest_settling)
        before, meter, began = worker.ask("usage"), Meter(round.server), time.monotonic()
        time.sleep(round.scale.rest_seconds)
        after, seconds = worker.ask("usage"), time.monotonic() - began
        of_server = meter.percent(seconds)
    subject.app.close()
    used = (after["cpu"] - before["cpu"]) / seconds * 100
    return {"rss_mb": after["rss"] / 1e6, "cpu_percent": used, **of_server}


MEASUREMENT = Measurement(
    name="rest",
    measure=measure,
    lines=(
        Line(key="rest-rss", title="worker at rest, RSS", figure="rss_mb", unit="MB", better="less"),
        Line(key="rest-cpu", title="worker at rest, CPU of one core", figure="cpu_percent", unit="%", better="less"),
        Line(
            key="rest-server-cpu",
            title="server beside it, CPU of one core",
            figure="server_cpu_percent",
            unit="%",
            better="less",
        ),
    ),
    by_variant=False,
)

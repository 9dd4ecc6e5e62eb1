"""What jobs that belong together cost: a chain of 1,000, a group of 10,000 members, five durable steps in each job.

Members of a group and jobs with steps are set against the same jobs without. One worker of this process runs them.
"""

from __future__ import annotations

import time

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from windlass import ActiveJob, Request, Results, Windlass, chain, group, this_job

_LINKS = 1_000
_MOST = 10_000
_STEPS = 5


def measure(round: Round) -> Figures:
    members, stepped = min(round.scale.drain_jobs, _MOST), min(round.scale.drain_jobs, 1_000)
    alone = _Flows(round, "alone")
    free = alone.drained([alone.plain.request(number) for number in range(members)])
    together = _Flows(round, "group")
    began = time.monotonic()
    group([together.plain.request(n) for n in range(members)]).then(together.count.request()).enqueue()
    enqueued = time.monotonic() - began
    grouped = together.worked(members + 1)
    links, length = _Flows(round, "chain"), min(round.scale.drain_jobs, _LINKS)
    chain(links.plain.request(0), *[links.plain.request()] * (length - 1)).enqueue()
    linked = links.worked(length)
    without, with_steps = _Flows(round, "plain"), _Flows(round, "steps")
    bare = without.drained([without.plain.request(number) for number in range(stepped)])
    steps = with_steps.drained([with_steps.stepped.request(number) for number in range(stepped)])
    return {
        "chain": length / linked,
        "enqueue_ms": 1000 * enqueued,
        "group": members / grouped,
        "group_share": free / grouped,
        "steps": stepped / steps,
        "steps_share": bare / steps,
    }


class _Flows:
    """An app on a store of its own, with what its worker runs."""

    def __init__(self, round: Round, name: str) -> None:
        place = round.beside(name)
        self.app = Windlass(place.url, namespace=place.namespace)

        @self.app.task(name="plain")
        def plain(number: int) -> int:
            return number

        @self.app.task(name="count")
        def count(results: Results) -> int:
            return len(results)

        @self.app.task(name="stepped")
        def stepped(number: int, job: ActiveJob = this_job) -> int:
            for step in range(_STEPS):
                job.step(f"step {step}", int, number)
            return number

        self.plain, self.count, self.stepped = plain, count, stepped

    def drained(self, requests: list[Request]) -> float:
        """Seconds that these jobs take once they are enqueued."""
        self.app.enqueue_many(requests)
        return self.worked(len(requests))

    def worked(self, jobs: int) -> float:
        """Seconds that a worker takes for what there is."""
        began = time.monotonic()
        ran = self.app.worker(concurrency=8).run_until_empty()
        seconds = time.monotonic() - began
        assert ran == jobs, f"{ran} of {jobs} jobs ran"
        self.app.close()
        return seconds


MEASUREMENT = Measurement(
    name="flows",
    measure=measure,
    lines=(
        Line(key="chain", title="chain of 1,000", figure="chain", unit="jobs/s"),
        Line(key="group-enqueue", title="enqueue of a group", figure="enqueue_ms", unit="ms", better="less"),
        Line(key="group", title="drain of a group", figure="group", unit="jobs/s"),
        Line(key="group-share", title="and of the same without", figure="group_share", unit="×"),
        Line(key="steps", title="jobs with 5 steps", figure="steps", unit="jobs/s"),
        Line(key="steps-share", title="and of the same without", figure="steps_share", unit="×"),
    ),
    by_variant=False,
)

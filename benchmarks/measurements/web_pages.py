"""How long each page of the dashboard takes, beside few jobs and beside very many.

The lines are about the slowest of all pages; the figures of each are in the JSON, and the notes name the slowest.
"""

from __future__ import annotations

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.pages.addresses import addresses
from benchmarks.pages.browser import first_paints
from benchmarks.pages.filling import QUEUES, TASKS, fill
from benchmarks.pages.requests import request_times, served
from windlass import Windlass


def measure(round: Round) -> Figures:
    return {**_beside(round, "few", round.scale.few_page_jobs), **_beside(round, "many", round.scale.many_page_jobs)}


def _beside(round: Round, name: str, jobs: int) -> Figures:
    place, scale = round.beside(name), round.scale
    with Windlass(place.url, namespace=place.namespace) as app:
        for number, task in enumerate(TASKS):
            app.task(name=task, queue=QUEUES[number % len(QUEUES)])(_nothing)
        paths = addresses(fill(app, jobs))
        with served(app) as address:
            times = request_times(address, paths, requests=scale.page_requests)
            painted = paths if scale.painted_pages is None else paths[: scale.painted_pages]
            paints = first_paints(address, painted, visits=scale.page_visits)
    return {
        **_slowest(f"{name}_first_ms", {path: first for path, (first, _) in times.items()}),
        **_slowest(f"{name}_ms", {path: median for path, (_, median) in times.items()}),
        **_slowest(f"{name}_paint_ms", paints),
    }


def _slowest(name: str, by_path: dict[str, float]) -> Figures:
    """That of the slowest page, and those of all pages behind their paths; none where nothing was measured."""
    if not by_path:
        return {}
    return {name: max(by_path.values()), **{f"{name} {path}": time for path, time in by_path.items()}}


def _nothing() -> None:
    pass


def _lines(name: str, jobs: str) -> tuple[Line, ...]:
    beside = f"slowest page beside {jobs} jobs"
    return (
        Line(key=f"web-pages-{name}", title=beside, figure=f"{name}_ms", unit="ms", better="less"),
        Line(
            key=f"web-pages-{name}-first",
            title=f"{beside}, asked for the first time",
            figure=f"{name}_first_ms",
            unit="ms",
            better="less",
        ),
        Line(
            key=f"web-pages-{name}-paint",
            title=f"{beside}, first paint",
            figure=f"{name}_paint_ms",
            unit="ms",
            better="less",
        ),
    )


MEASUREMENT = Measurement(
    name="web-pages",
    measure=measure,
    lines=(*_lines("few", "10,000"), *_lines("many", "1,000,000")),
    by_variant=False,
)

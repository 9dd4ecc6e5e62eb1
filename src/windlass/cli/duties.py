"""``windlass duties``: upkeep by hand, or until stopped."""

from __future__ import annotations

from collections.abc import Callable

import click

from windlass.app import Windlass
from windlass.cli.managing import tending
from windlass.cli.output import Output, printing
from windlass.cli.views.said import Said, jobs_counted


@click.command()
@click.argument("duty", type=click.Choice(["rescue", "promote", "clean"]), required=False)
@printing
@tending
def duties(app: Windlass, *, out: Output, duty: str | None) -> None:
    """Do upkeep, once or until stopped, without running jobs.

    \b
      rescue    free the jobs of workers that died
      promote   make jobs ready whose time has come
      clean     let go of finished jobs that are old enough
    """
    if duty is None:
        _until_stopped(app, out)
    else:
        out.show(_ONCE[duty](app))


def _until_stopped(app: Windlass, out: Output) -> None:
    from windlass.worker.duties.alone import run_duties

    started = Said(f"doing duties for {app.store}; stop with Ctrl-C", {"duties": list(_ONCE), "store": app.store})
    run_duties(app, on_started=lambda: out.show(started))


def _rescue(app: Windlass) -> Said:
    rescued = app.rescue()
    jobs = [{"id": job.id, "state": str(job.state)} for job in rescued]
    told = [f"{job.id} is {job.state} now" for job in rescued]
    return Said(f"rescued {jobs_counted(len(rescued))}", {"duty": "rescue", "rescued": jobs}, told)


def _promote(app: Windlass) -> Said:
    count = app.promote()
    return Said(f"promoted {jobs_counted(count)}", {"duty": "promote", "promoted": count})


def _clean(app: Windlass) -> Said:
    cleaned = app.clean()
    sentence = f"deleted {jobs_counted(cleaned.deleted)}, archived {cleaned.archived:,}, in {cleaned.seconds:.1f} s"
    values = {"deleted": cleaned.deleted, "archived": cleaned.archived, "seconds": round(cleaned.seconds, 3)}
    return Said(sentence, {"duty": "clean", **values})


_ONCE: dict[str, Callable[[Windlass], Said]] = {"rescue": _rescue, "promote": _promote, "clean": _clean}

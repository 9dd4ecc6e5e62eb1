"""``windlass duties``: upkeep without a worker."""

from __future__ import annotations

from collections.abc import Callable

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app_and_logs
from windlass.cli.output import Output, with_output
from windlass.cli.times import second
from windlass.cli.views.message import Message, jobs_counted
from windlass.insight import json_forms
from windlass.insight.figures.json_form import roll_up_form
from windlass.schedules.fires import Fire


@click.command()
@click.argument("duty", type=click.Choice(["rescue", "promote", "clean", "roll-up", "fire"]), required=False)
@with_output
@with_app_and_logs
def duties(app: Windlass, *, out: Output, duty: str | None) -> None:
    """Do upkeep, once or until stopped, without running jobs.

    \b
      rescue    free the jobs of workers that died
      promote   make jobs ready whose time has come
      clean     let go of finished jobs that are old enough
      roll-up   merge what workers have gathered into figures
      fire      make the jobs of schedules that are due
    """
    if duty is None:
        _until_stopped(app, out)
    else:
        out.show(_ONCE[duty](app))


def _until_stopped(app: Windlass, out: Output) -> None:
    from windlass.worker.duties.standalone import run_duties

    started = Message(f"doing duties for {app.store}; stop with Ctrl-C", {"duties": list(_ONCE), "store": app.store})
    run_duties(app.client, on_started=lambda: out.show(started))


def _rescue(app: Windlass) -> Message:
    rescued = app.rescue()
    lines = [f"{job.id} is {job.state} now" for job in rescued]
    return Message(f"rescued {jobs_counted(len(rescued))}", json_forms.rescued(rescued), lines)


def _promote(app: Windlass) -> Message:
    count = app.promote()
    return Message(f"promoted {jobs_counted(count)}", json_forms.promoted(count))


def _clean(app: Windlass) -> Message:
    cleaned = app.clean()
    sentence = f"deleted {jobs_counted(cleaned.deleted)}, archived {cleaned.archived:,}, in {cleaned.seconds:.1f} s"
    return Message(sentence, json_forms.cleaned(cleaned.deleted, cleaned.archived, cleaned.seconds))


def _roll_up(app: Windlass) -> Message:
    done = app.roll_up()
    sentence = f"merged {done.rows:,} rows into {done.buckets:,} buckets of figures, removed {done.pruned:,} old ones"
    return Message(sentence, roll_up_form(done))


def _fire(app: Windlass) -> Message:
    fires = app.fire_due()
    made = sum(1 for fire in fires if fire.job is not None)
    lines = [_fired(fire) for fire in fires]
    return Message(f"made {jobs_counted(made)}", json_forms.fired(fires), lines)


def _fired(fire: Fire) -> str:
    became = fire.outcome.replace("_", " ") + (f" ({fire.reason})" if fire.reason else "")
    return f"{fire.schedule} of {second(fire.planned_at)}: {became}" + (f", job {fire.job}" if fire.job else "")


_ONCE: dict[str, Callable[[Windlass], Message]] = {
    "rescue": _rescue,
    "promote": _promote,
    "clean": _clean,
    "roll-up": _roll_up,
    "fire": _fire,
}

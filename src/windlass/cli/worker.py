"""``windlass worker``: run jobs until stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from windlass.app import Windlass
from windlass.cli.managing import working
from windlass.cli.output import Output, printing
from windlass.cli.screen import Screen, Styled
from windlass.cli.views.said import Said
from windlass.errors import ConfigError
from windlass.settings import setting
from windlass.version import VERSION

if TYPE_CHECKING:
    from windlass.worker.worker import Worker


@click.command()
@click.option(
    "-q", "--queues", multiple=True, metavar="NAME[:WEIGHT],...", help="Queues to serve (or $WINDLASS_QUEUES)."
)
@click.option("-c", "--concurrency", metavar="N", help="Jobs at once (or $WINDLASS_CONCURRENCY); 10 by default.")
@click.option("--burst", is_flag=True, help="Stop when nothing is ready any more.")
@click.option(
    "--lease", metavar="TIME", help="After this long without a heartbeat its jobs are rescued; 30s by default."
)
@click.option(
    "--heartbeat", metavar="TIME", help="Time between heartbeats, at most half the lease; a third by default."
)
@click.option("--grace", metavar="TIME", help="How long running jobs may go on after a signal; 30s by default.")
@click.option("--name", help="First part of its name (or $WINDLASS_WORKER_NAME); the host by default.")
@click.option("--version", help="Of your program, part of its name (or $WINDLASS_WORKER_VERSION).")
@click.option("--id", help="Last part of its name (or $WINDLASS_WORKER_ID); the process by default.")
@click.option("--no-duties", is_flag=True, help="Leave promote, rescue and clean to others.")
@printing
@working
def worker(
    app: Windlass,
    *,
    out: Output,
    queues: tuple[str, ...],
    concurrency: str | None,
    burst: bool,
    no_duties: bool,
    **given: str | None,
) -> None:
    """Run jobs until SIGTERM or Ctrl-C; a second signal stops now.

    Without --queues it serves those that the app's tasks name.
    """
    from windlass.worker.signals import run_burst, run_until_signalled

    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    many = _concurrency(setting("concurrency", concurrency))
    if many is not None:
        options["concurrency"] = many
    chosen = setting("queues", ",".join(queues) if queues else None)
    built = app.worker(None if chosen is None else parse_queues(chosen), duties=not no_duties, **options)
    started = Started(built, app.store, len(app.tasks))
    if burst:
        ended = run_burst(built, on_started=lambda: out.show(started))
        out.show(Said(f"nothing is ready any more; {ended:,} runs ended", {"ended": ended}))
    else:
        run_until_signalled(built, on_started=lambda: out.show(started))


@dataclass(frozen=True, slots=True)
class Started:
    """What a worker serves."""

    worker: Worker
    store: str
    tasks: int

    def data(self) -> object:
        return {
            "worker": self.worker.name,
            "version": VERSION,
            "store": self.store,
            "queues": self.worker.queues,
            "concurrency": self.worker.concurrency,
            "tasks": self.tasks,
        }

    def draw(self, screen: Screen) -> None:
        queues = ", ".join(f"{name}:{weight}" for name, weight in self.worker.queues.items())
        screen.line(Styled(f"Windlass {VERSION}", "bold"), f" worker {self.worker.name}")
        screen.fields(
            [
                ("store", self.store),
                ("queues", queues),
                ("concurrency", str(self.worker.concurrency)),
                ("tasks", str(self.tasks)),
            ]
        )


def parse_queues(text: str) -> dict[str, int]:
    """Queues and weights from ``mail:3,default``.

    >>> parse_queues("mail:3,default")
    {'mail': 3, 'default': 1}
    """
    parts = [part.strip() for part in text.split(",")]
    if not any(parts):
        raise ConfigError("queues are given but empty; name at least one, as in -q mail:3,default:1, or leave it out")
    weights = [_weighted(part) for part in parts]
    _refuse_repeated([name for name, _ in weights])
    return dict(weights)


def _weighted(part: str) -> tuple[str, int]:
    name, colon, weight = part.partition(":")
    if colon and not (weight.isascii() and weight.isdigit()):
        raise ConfigError(f"queue {name!r}: its weight must be a whole number, as in {name}:3; got {weight!r}")
    return name, int(weight) if colon else 1


def _refuse_repeated(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"queue {name!r} is given twice; give it once, with its weight")


def _concurrency(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ConfigError(f"concurrency must be a whole number, got {text!r}")
    return int(text)

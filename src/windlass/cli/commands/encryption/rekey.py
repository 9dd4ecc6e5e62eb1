"""``windlass rekey``: encrypts anew what is under an older key."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import with_app
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message, counted, jobs_counted


@click.command()
@click.option("--clear", is_flag=True, help="Also encrypt what was stored before there were keys.")
@with_output
@with_app
@audited
def rekey(app: Windlass, *, out: Output, clear: bool) -> None:
    """Encrypt what is stored under older keys anew, under the first of encryption_keys.

    Runs beside workers, which need the new key first of all, and may be repeated. Exit code 0 says that nothing is left
    under other keys, but for archives: then these may be dropped.
    """
    done = app.rekey(clear=clear)
    ids = app.client.encryption.keys.ids
    sentence = f"{counted(done.texts, 'text')} of {jobs_counted(done.jobs)} encrypted anew under the key {ids[0]}"
    details = [f"{counted(number, 'text')} need the key {id}, which is not here" for id, number in done.missing.items()]
    if done.left:
        details.append(f"{counted(done.left, 'text')} changed meanwhile; run it again")
    if done.damaged:
        details.append(f"{counted(done.damaged, 'text')} cannot be opened with their key: they are damaged")
    if done.is_complete and len(ids) > 1:
        details.append(
            f"nothing is left under {', '.join(ids[1:])}: it may be dropped where all processes have {ids[0]}"
        )
    values = {
        "key": ids[0],
        "jobs": done.jobs,
        "texts": done.texts,
        "left": done.left,
        "damaged": done.damaged,
        "missing": dict(done.missing),
        "complete": done.is_complete,
    }
    out.show(Message(sentence, values, details))
    if not done.is_complete:
        click.get_current_context().exit(1)

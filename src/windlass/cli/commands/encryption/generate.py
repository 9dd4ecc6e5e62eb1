"""``windlass keys generate``: makes an encryption key."""

from __future__ import annotations

from contextlib import closing

import click

from windlass.cli.app_option import app_option
from windlass.cli.find_app import load_app
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message
from windlass.client.config import chosen_keys
from windlass.core.encryption.keys import Keys, new_encryption_key
from windlass.errors import ConfigError


@click.command()
@app_option
@with_output
def generate(*, out: Output, app_names: tuple[str, ...]) -> None:
    """Print a new encryption key, which belongs to those of $WINDLASS_ENCRYPTION_KEYS, or of the app, if there are any.

    Put it first in encryption_keys, keep the others behind it, and run `windlass rekey` before you drop them.
    """
    present = _keys_at_hand(",".join(app_names) if app_names else None)
    key = new_encryption_key() if present is None else present.successor()
    out.show(Message(key, {"key": key, "id": Keys([key]).ids[0]}))


def _keys_at_hand(app_names: str | None) -> Keys | None:
    texts = chosen_keys(None)
    if texts is not None:
        return Keys(texts)
    try:
        app = load_app(app_names, None)
    except ConfigError:
        if app_names is not None:
            raise
        return None
    with closing(app):
        return app.client.encryption.keys if app.client.encryption.is_on else None

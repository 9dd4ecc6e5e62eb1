"""``windlass web``: serves the dashboard and the HTTP API."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app_and_logs
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message
from windlass.cli.web.ending import Ending
from windlass.cli.web.security_options import SecurityAt, with_security
from windlass.client.config import setting
from windlass.errors import ConfigError

if TYPE_CHECKING:
    from windlass.web.security.settings import SecuritySettings
    from windlass.web.server import Server

log = logging.getLogger("windlass.web")

HOST = "127.0.0.1"
PORT = 8787


@click.command()
@click.option("--host", default=HOST, show_default=True, help="The address to serve at.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="0 for any that is free.")
@click.option("--no-duties", is_flag=True, help="Leave promote, rescue, clean and schedules to workers.")
@click.option("--environment", metavar="NAME", help="Shown on every page; production and staging have colours.")
@with_security
@with_output
@with_app_and_logs
def web(
    app: Windlass,
    *,
    out: Output,
    security: SecurityAt,
    host: str,
    port: int,
    no_duties: bool,
    environment: str | None,
) -> None:
    """Serve the dashboard and the HTTP API until SIGTERM or Ctrl-C, and do duties beside it.

    At 127.0.0.1, and without --token, --password-file or --proxy-header, people and programs on this machine need
    nothing.
    Elsewhere callers have to show who they are: see `windlass tokens`.
    """
    from windlass.worker.duties.standalone import DutiesBeside

    named = setting("environment", environment, "") or ""
    server = api_server(app, security(app, host), host=host, port=port, environment=named)
    started = {
        "address": server.address,
        "api": f"{server.address}/api/v1",
        "store": app.store,
        "duties": not no_duties,
    }
    duties = None if no_duties else DutiesBeside(app.client, on_over=server.stop)
    said = Message(f"dashboard of {app.store} at {server.address}, API at /api/v1; stop with Ctrl-C", started)
    with Ending(app, duties) as ending:
        server.serve_until_signalled(lambda: out.show(said), on_stopping=ending.begin)


@contextmanager
def serving_api(app: Windlass, port: int | None) -> Iterator[str | None]:
    """Serve the dashboard of a worker's app beside it, if a port is given; the address."""
    if port is None:
        yield None
        return
    with local_server(app, port).in_background() as address:
        yield address


def local_server(app: Windlass, port: int) -> Server:
    """A server for this machine alone. A port in use is replaced by one that is free."""
    from windlass.web.security.settings import SecuritySettings, check_start

    settings = check_start(HOST, SecuritySettings(hosts=frozenset({HOST})), has_tokens=False)
    try:
        return api_server(app, settings, host=HOST, port=port)
    except ConfigError as error:
        log.warning("%s", error)
        return api_server(app, settings, host=HOST, port=0)


def api_server(app: Windlass, settings: SecuritySettings, *, host: str, port: int, environment: str = "") -> Server:
    """A server of the dashboard and the API for callers that the settings admit."""
    from windlass.web import dashboard
    from windlass.web.security.security import Security
    from windlass.web.server import Server

    asgi = dashboard(app, security=Security(app, settings), environment=environment)
    return Server(asgi, host=host, port=port)

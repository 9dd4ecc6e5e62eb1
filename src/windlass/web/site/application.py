"""The dashboard as an ASGI application, with the API beside it."""

from __future__ import annotations

from starlette.types import ASGIApp

from windlass.app import Windlass
from windlass.web.app import api
from windlass.web.route import Gatekeeper
from windlass.web.security.settings import Authenticate
from windlass.web.site.routes.table import PAGES
from windlass.web.table import ROUTES


def dashboard(
    app: Windlass,
    *,
    auth: Authenticate | None = None,
    security: Gatekeeper | None = None,
    secret: str | bytes | None = None,
    environment: str = "",
) -> ASGIApp:
    """The pages and the API of an app, as an ASGI application that can be mounted under any prefix.

    It takes what ``api`` takes; without ``auth`` all but the health checks, scripts and style sheets is refused.
    ``environment`` is written at the top of every page, so that one installation is not taken for another:
    ``production`` and ``staging`` have colours of their own.

    >>> from windlass import Windlass
    >>> from windlass.web import dashboard
    >>> app = Windlass("sqlite:///:memory:")
    >>> asgi = dashboard(app)
    >>> app.close()
    """
    return api(app, auth=auth, security=security, secret=secret, routes=(*ROUTES, *PAGES), environment=environment)

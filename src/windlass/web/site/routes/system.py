"""The overview, the system, the command box, logins and static files."""

from __future__ import annotations

from starlette.responses import HTMLResponse, RedirectResponse, Response

from windlass.web.route import Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.site.overview import overview
from windlass.web.site.pages import commands, login, system
from windlass.web.site.routes.rows import TOPIC, button, login_row, page
from windlass.web.site.static_files import static_file

SYSTEM: tuple[Route, ...] = (
    *page("/", overview.overview, "Everything at a glance.", overview.OverviewQuery),
    *page("/system", system.system, "The store and the processes around it.", system.SystemQuery, every=2),
    Route(
        method="GET",
        path="/commands",
        handler=commands.commands,
        summary="What the command box finds.",
        topic=TOPIC,
        role=Role.VIEWER,
        query=commands.CommandQuery,
        answer=commands.Places,
    ),
    button(
        "/tokens",
        system.add_token,
        "token.add",
        "Make a token.",
        Role.ADMIN,
        form=system.TokenForm,
        again=system.token_again,
    ),
    button("/tokens/{name}/revoke", system.revoke_token, "token.revoke", "Revoke a token.", Role.ADMIN),
    login_row(
        "GET", "/login", login.show_login, summary="The form to log in.", answer=HTMLResponse, query=login.LoginQuery
    ),
    login_row(
        "POST",
        "/login",
        login.log_in,
        summary="Begin a session.",
        answer=RedirectResponse,
        status=303,
        form=login.LoginForm,
    ),
    login_row(
        "POST", "/logout", login.log_out, summary="End a session.", answer=RedirectResponse, status=303, form=Nothing
    ),
    Route(
        method="GET",
        path="/static/{version}/{name}",
        handler=static_file,
        summary="A style sheet or script.",
        topic=TOPIC,
        role=None,
        answer=Response,
    ),
)

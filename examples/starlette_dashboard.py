"""The dashboard inside a Starlette application, under /ops/jobs, for people who have logged in there.

    STAFF_PASSWORD=... uvicorn starlette_dashboard:site
    windlass worker -A starlette_dashboard

FastAPI mounts it the same way: ``site.mount("/ops/jobs", dashboard(app, auth=who))``.
"""

from __future__ import annotations

import hmac
import os
import secrets
from html import escape
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from windlass import Windlass
from windlass.web import Identity, Role, dashboard

app = Windlass()  # WINDLASS_URL says where its store is
SESSIONS: dict[str, str] = {}
"""Who has logged in, by their cookie. An application of several processes keeps this in its database."""


@app.task
def greet(name: str) -> str:
    return f"hello, {name}"


def who(request: Request) -> Identity | None:
    """Who looks at the dashboard; None for a browser that has not logged in."""
    name = SESSIONS.get(request.cookies.get("session", ""))
    return None if name is None else Identity(name, Role.OPERATOR)


async def home(request: Request) -> Response:
    identity = who(request)
    if identity is None:
        return HTMLResponse(
            '<form method="post" action="/login"><input name="name" placeholder="Name">'
            '<input name="password" type="password" placeholder="Password"><button>Log in</button></form>'
        )
    jobs = request.url_for("jobs", path="/").path
    return HTMLResponse(f'<p>Hello, {escape(identity.name)}. <a href="{jobs}">Background jobs</a></p>')


async def log_in(request: Request) -> Response:
    given = parse_qs((await request.body()).decode())
    password = given.get("password", [""])[0]
    if not hmac.compare_digest(password.encode(), os.environ["STAFF_PASSWORD"].encode()):
        return HTMLResponse("<p>The password is wrong.</p>", status_code=401)
    session = secrets.token_urlsafe()
    SESSIONS[session] = given.get("name", ["staff"])[0]
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie("session", session, httponly=True, samesite="lax", secure=request.url.scheme == "https")
    return answer


site = Starlette(
    routes=[
        Route("/", home),
        Route("/login", log_in, methods=["POST"]),
        Mount("/ops/jobs", dashboard(app, auth=who), name="jobs"),
    ]
)

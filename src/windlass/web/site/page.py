"""A page: its template, what the template shows, and the frame around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from windlass.core.state import State
from windlass.insight.redact import MASK, redacted_text
from windlass.version import VERSION
from windlass.web.route import Call
from windlass.web.security.roles import ANONYMOUS, Role
from windlass.web.site import formats, times
from windlass.web.site.done import COOKIE, forgetting, told
from windlass.web.site.form_token import PLACE, token_of, with_token
from windlass.web.site.overview.signs import Signs, signs_of
from windlass.web.site.static_files import STATIC_FILES

NAVIGATION = (
    ("Overview", "/"),
    ("Jobs", "/jobs"),
    ("Failures", "/failures"),
    ("Queues", "/queues"),
    ("Workers", "/workers"),
    ("Schedules", "/schedules"),
    ("Tasks", "/tasks"),
    ("Limits", "/limits"),
    ("Alerts", "/alerts"),
    ("System", "/system"),
)

_ENVIRONMENTS = {"prod": "production", "live": "production", "stag": "staging"}
"""How names of installations begin, and as which kind they are coloured."""
_SIGNS = {"/failures": "causes of failures in the last hour", "/alerts": "alerts that fire"}
"""What the figures beside links count."""


@dataclass(frozen=True, slots=True)
class Page:
    """What one page shows."""

    template: str
    title: str
    shown: Mapping[str, Any] = field(default_factory=dict)
    here: str = "/"
    """Which entry of the navigation it belongs to."""
    status: int = 200
    is_live: bool = True
    """Whether it is brought up to date while it is open; a form is not."""
    live: Mapping[str, str] = field(default_factory=dict)
    """What the stream of the page is asked for beside what the page was."""


def rendered(call: Call[Any, Any], page: Page) -> HTMLResponse:
    """The whole page."""
    html = with_token(_text(call, page, "base.html"), token_of(call))
    response = HTMLResponse(html, page.status, headers={"Cache-Control": "no-store"})
    if COOKIE in call.request.cookies:
        response.headers.append("Set-Cookie", forgetting(call.request))
    return response


def rendered_part(call: Call[Any, Any], page: Page) -> str:
    """What of the page changes while it is open, the same for all who look at it: forms have no token yet."""
    return _text(call, page, "part.html")


def _text(call: Call[Any, Any], page: Page, layout: str) -> str:
    return _environment().get_template(page.template).render(layout=layout, **_frame(call, page))


def base_of(request: Request) -> str:
    """What every path of ours begins with: empty, or where a host application has mounted it."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def store_name(store: str) -> str:
    """Short enough for the top of a page; the whole is in its title.

    >>> store_name("/srv/shop/windlass.db"), store_name("postgresql://db.internal/shop")
    ('windlass.db', 'postgresql db.internal/shop')
    """
    kind, separator, place = store.partition("://")
    return f"{kind} {place}" if separator else store.rpartition("/")[2]


def environment_kind(name: str) -> str:
    """Whose colour an installation has at the top of its pages.

    >>> [environment_kind(name) for name in ("production", "prod-eu", "Staging 2", "")]
    ['production', 'production', 'staging', 'local']
    """
    return next((kind for start, kind in _ENVIRONMENTS.items() if name.lower().startswith(start)), "local")


def _frame(call: Call[Any, Any], page: Page) -> dict[str, Any]:
    request = call.request
    base = base_of(request)
    now, role = call.now, call.identity.role
    is_known = call.identity is not ANONYMOUS
    signs = signs_of(call.app) if is_known else Signs()

    def url(path: str, **query: object) -> str:
        given = {name: value for name, value in query.items() if value not in (None, "")}
        return f"{base}{quote(path)}" + (f"?{urlencode(given)}" if given else "")

    query = urlencode([*request.query_params.multi_items(), *page.live.items()])
    return {
        "page": page,
        "url": url,
        "url_of": lambda path: f"{base}{path}",  # one that is quoted already
        "static": lambda name: f"{base}{STATIC_FILES.path(name)}",
        "stream": f"{base}/live{request.url.path.removeprefix(base).rstrip('/')}?{query}".rstrip("?"),
        "polled": f"{request.url.path}?{query}".rstrip("?"),
        "path": request.url.path.removeprefix(base) or "/",
        "told": told(call) if is_known else None,
        "whole_store": call.app.store,
        "navigation": NAVIGATION,
        "store": store_name(call.app.store),
        "environment": call.environment,
        "environment_kind": environment_kind(call.environment),
        "identity": call.identity,
        "is_known": is_known,
        "signs": {"/failures": signs.failures, "/alerts": signs.alerts},
        "may": {"operate": role.allows(Role.OPERATOR), "administer": role.allows(Role.ADMIN)},
        "states": tuple(State),
        "now": now,
        "clock_time": lambda moment: times.clock_time(moment, now),
        "ahead": lambda moment: times.ahead(moment, now),
        "version": VERSION,
        **page.shown,
    }


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("windlass.web.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(MASK=MASK, CSRF_PLACE=PLACE, SIGNS=_SIGNS)
    made.filters.update(
        masked=redacted_text,
        number=formats.number,
        short_number=formats.short_number,
        duration=formats.length,
        period=formats.period,
        size=formats.size,
        rate=formats.rate,
    )
    return made

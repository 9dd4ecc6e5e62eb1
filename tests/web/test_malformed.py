"""Malformed requests of all kinds: 4xx with a problem document, never a 5xx, never a traceback."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec import inspect
from msgspec.inspect import type_info

from tests.web.asgi import RawAnswer, ask
from tests.web.http import V1, Admitting, Http
from windlass import Windlass, WindlassError
from windlass.web import dashboard
from windlass.web.route import Route
from windlass.web.site.routes.table import PAGES
from windlass.web.table import ROUTES

MakeRequest = Callable[[Any, Random], Awaitable[tuple[str, RawAnswer]]]
REQUESTS = int(os.environ.get("WINDLASS_FUZZ_REQUESTS", "2000"))

TEXTS = [
    "",
    "x",
    "\0",
    "\ud800",
    "é" * 300,
    "../..",
    "%00",
    "*",
    "null",
    "-1",
    "1e999",
    "9" * 400,
    "'; DROP TABLE x;--",
]
TEXTS += [
    "2026-13-45T00:00:00Z",
    "2026-11-16T00:00:00",
    "10000000000d",
    "\u202e",
    "${jndi:ldap://x}",
    "{{7*7}}",
    "true",
]
VALUES: list[Any] = [*TEXTS, None, True, 0, -1, 2**70, 1e308, [], {}, [[]], {"": {}}, [None] * 50, {"a": {"b": [1]}}]
ODD_TEXTS = [
    *("mail", "done", "mail.welcome", "*", "all", "queue:mail", "log", "deploy", "viewer", "failed", "critical", "p95"),
    *("1h", "0", "-1h", "1ms", "100000d", "9" * 18 + "d", "1e5s", "nan", "10/s", "0/s", "1000000000/s", "1/0s"),
    *("0 3 * * *", "@daily", "Europe/Paris", "2026-11-18T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"),
    *("queue_depth > 10", "error_rate > 5% and (runs > 1)", "error_rate >", "((((", "\u202e", "\x7f", "\u2028", " "),
    *("a/b", "%", "..", "'\";--", "x" * 300, "x" * 5000, "é" * 120, "\t", "{}", "[1]"),
]
ODD_NUMBERS = [0, 1, -1, 2, 50, 500, 501, 2**31, 2**53, 2**63 - 1, 2**63, 2**70, -(2**63)]
BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'"',
    b"[" * 5000,
    b'{"a":' * 3000,
    b"NaN",
    b"9" * 9000,
    b"\0",
    b"{}x",
]
TYPES = [
    b"application/json",
    b"application/json; charset=utf-8",
    b"text/plain",
    b"",
    b"application/x-www-form-urlencoded",
]
HEADERS = [(b"if-match", b"*"), (b"if-match", b"\xff"), (b"content-length", b"-1"), (b"content-length", b"1" * 30)]
HEADERS += [(b"authorization", b"Bearer \xff"), (b"cookie", b"=;;="), (b"accept", b"*/"), (b"host", b"[")]


def names_of(route: Route) -> list[str]:
    from windlass.web.inputs import field_names

    return [*field_names(route), "limit", "cursor", "meta", "meta.", "meta.x", "__class__"]


def body_of(random: Random, route: Route) -> bytes:
    if random.random() < 0.3:
        return random.choice(BODIES)
    names = names_of(route)
    value: Any = {random.choice(names): random.choice(VALUES) for _ in range(random.randrange(4))}
    if random.random() < 0.5:
        value = {"task": "mail.welcome", "args": [1], **value}
    if random.random() < 0.2:
        value = [value] * random.randrange(3)
    return json.dumps(value).encode("utf-8", "surrogatepass")


def query_of(random: Random, route: Route) -> bytes:
    from urllib.parse import quote

    pairs = [
        f"{quote(random.choice(names_of(route)))}={quote(random.choice(TEXTS).encode('utf-8', 'surrogatepass'))}"
        for _ in range(random.randrange(3))
    ]
    return random.choice([b"", b"%", b"=&=&", b"\xff=\xff", "&".join(pairs).encode()])


async def malformed(asgi: Any, random: Random) -> tuple[str, RawAnswer]:
    route = random.choice(ROUTES)
    path = route.path
    for name in route.parameters:
        path = path.replace(f"{{{name}}}", random.choice([*TEXTS, "done", "mail", "promote"]).replace("/", "") or "x")
    method = route.method if random.random() < 0.9 else random.choice(["GET", "PUT", "OPTIONS", "TRACE", "FOO", "HEAD"])
    headers = [(b"content-type", random.choice(TYPES)), *random.sample(HEADERS, random.randrange(3))]
    body = body_of(random, route) if method not in ("GET", "HEAD") or random.random() < 0.1 else b""
    cut = random.randrange(len(body) + 1)
    answer = await ask(
        asgi, method, path, query=query_of(random, route), headers=headers, parts=[body[:cut], body[cut:]]
    )
    return f"{method} {path!r} {body[:200]!r}", answer


async def odd(asgi: Any, random: Random) -> tuple[str, RawAnswer]:
    """A request of the right form, about things that are there, with values that few would send: it gets further."""
    route = random.choice(ROUTES)
    path = route.path
    for name in route.parameters:
        path = path.replace(f"{{{name}}}", random.choice(["done", "done", "done", "mail", "mail.welcome", "rescue"]))
    headers, body = [(b"if-match", b"*")], b""
    if route.body is not None:
        value = of_type(random, type_info(route.body))
        if isinstance(value, dict):
            value.pop("wait", None)  # a claim would wait in truth
        headers.append((b"content-type", b"application/json"))
        body = json.dumps(value).encode("utf-8", "surrogatepass")
    fields = of_type(random, type_info(route.query))
    if route.is_stream:
        fields["seconds"] = 0  # or it would not end
    answer = await ask(asgi, route.method, path, query=as_query(fields), headers=headers, parts=[body])
    return f"{route.method} {path!r} {fields!r} {body[:300]!r}", answer


async def on_pages(asgi: Any, random: Random) -> tuple[str, RawAnswer]:
    """A request to a page, or a form that a page sends, with values that few would fill in."""
    route = random.choice(PAGES)
    path = route.path
    for name in route.parameters:
        known = random.choice(["done", "done", "mail", "mail.welcome", *TEXTS])
        path = path.replace(f"{{{name}}}", known.replace("/", "") or "x")
    headers, body = [], b""
    if route.method == "POST":
        headers = [(b"content-type", random.choice([b"application/x-www-form-urlencoded"] * 4 + TYPES))]
        body = random.choice(BODIES)
        if route.form is not None and random.random() < 0.8:
            body = as_query({name: as_filled_in(one) for name, one in of_type(random, type_info(route.form)).items()})
    fields = of_type(random, type_info(route.query)) if random.random() < 0.8 else {"x": random.choice(TEXTS)}
    if route.is_stream:
        return "GET stream", RawAnswer(200, {}, b"")  # it would not end
    answer = await ask(asgi, route.method, path, query=as_query(fields), headers=headers, parts=[body])
    return f"{route.method} {path!r} {fields!r} {body[:300]!r}", answer


def as_filled_in(value: Any) -> Any:
    return value if isinstance(value, str | int | float | list | None) else json.dumps(value)


def of_type(random: Random, kind: inspect.Type) -> Any:
    """Some value of a type, as JSON has it."""
    match kind:
        case inspect.Metadata():
            return of_type(random, kind.type)
        case inspect.UnionType():
            return of_type(random, random.choice(kind.types))
        case inspect.StructType():
            some = [field for field in kind.fields if field.required or random.random() < 2 / len(kind.fields)]
            return {field.encode_name: of_type(random, field.type) for field in some}
        case inspect.ListType() | inspect.VarTupleType():
            return [of_type(random, kind.item_type) for _ in range(random.randrange(3))]
        case inspect.DictType():
            return {str(random.choice(ODD_TEXTS)): of_type(random, kind.value_type) for _ in range(random.randrange(3))}
        case inspect.LiteralType():
            return random.choice(kind.values)
        case inspect.StrType():
            return random.choice(ODD_TEXTS)
        case inspect.BoolType():
            return random.random() < 0.5
        case inspect.IntType():
            return random.choice(ODD_NUMBERS)
        case inspect.FloatType():
            return random.choice([*ODD_NUMBERS, 0.5, -0.0, 1e-9, 1e18, 1e308])
        case inspect.NoneType():
            return None
        case _:
            return random.choice([*VALUES, *ODD_TEXTS])


def as_query(fields: dict[str, Any]) -> bytes:
    pairs: list[tuple[str, object]] = []
    for name, value in fields.items():
        match value:
            case None:
                pass
            case dict():
                pairs += [(f"{name}.{key}", one) for key, one in value.items()]
            case list():
                pairs += [(name, one) for one in value]
            case bool():
                pairs.append((name, str(value).lower()))
            case _:
                pairs.append((name, value))
    return urlencode(pairs, errors="surrogatepass").encode()


@contextmanager
def seeded() -> Iterator[Random]:
    seed = Random().randrange(2**32)
    try:
        yield Random(seed)
    except BaseException:
        print(f"seed {seed}")
        raise


@pytest.mark.timeout(max(240, REQUESTS // 20))  # 100,000 take some minutes, on a busy machine many
@pytest.mark.parametrize("make", [malformed, odd])
def test_malformed_requests_are_refused_by_name(app: Windlass, http: Http, make: MakeRequest) -> None:
    """2,000 of them, half of them of the right form; WINDLASS_FUZZ_REQUESTS says how many."""

    async def many() -> set[tuple[str, int]]:
        answered: set[tuple[str, int]] = set()
        with seeded() as random:
            for number in range(REQUESTS // 2):
                if number % 50 == 0:  # requests delete things too
                    await asyncio.to_thread(have_things, app)
                request, answer = await make(http.app, random)
                answered.add((request.partition(" ")[0], answer.status // 100))
                assert answer.status < 500, (request, answer)
                assert b"Traceback" not in answer.body, request
                if answer.status >= 400:
                    assert answer.headers["content-type"] == "application/problem+json", request
                    problem = json.loads(answer.body)
                    assert problem["status"] == answer.status, request
                    assert problem["title"], request
        return answered

    answered = asyncio.run(many())
    assert make is malformed or {("POST", 2), ("DELETE", 2), ("PATCH", 2)} <= answered


@pytest.mark.timeout(max(240, REQUESTS // 20))
def test_no_form_makes_a_page_fail(app: Windlass) -> None:
    """B30: what is typed into forms and addresses of pages is refused on a page, never by a defect."""
    asgi = dashboard(app, security=Admitting())

    async def many() -> set[int]:
        answered: set[int] = set()
        with seeded() as random:
            for number in range(max(200, REQUESTS // 10)):
                if number % 50 == 0:
                    await asyncio.to_thread(have_things, app)
                request, answer = await on_pages(asgi, random)
                answered.add(answer.status)
                assert answer.status < 500, (request, answer.status, answer.body[-2000:])
        return answered

    assert {200, 303, 404} <= asyncio.run(many())


def have_things(app: Windlass) -> None:
    """A job, a limit, a schedule, a rule and a queue called ``done``, as far as what was asked before allows it."""
    things: list[Callable[[], object]] = [
        lambda: app.enqueue_many([app.request("mail.welcome", [1], id="done")]),
        lambda: app.limit("done").configure(rate="1/s"),
        lambda: app.queue("done").configure(weight=3),
        lambda: app.queue("mail").configure(max_length=None),
        lambda: app.add_schedule("done", "mail.welcome", every="1h", args=[1]),
        lambda: app.alerts.add_rule("done", "queue_depth > 3"),
    ]
    for make in things:
        with suppress(WindlassError):  # it is there already, or its queue is full
            make()


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ([], b"{}", 415),
        ([(b"content-type", b"text/plain")], b"{}", 415),
        ([(b"content-type", b"application/json")], b"", 400),
        ([(b"content-type", b"application/json"), (b"content-length", b"9000000")], b"{}", 413),
    ],
)
def test_a_body_is_checked_before_it_is_read(http: Http, headers: Any, body: bytes, status: int) -> None:
    answer = asyncio.run(ask(http.app, "POST", f"{V1}/jobs", headers=headers, parts=[body]))
    assert answer.status == status


def test_a_body_that_is_too_long_is_not_read_to_its_end(http: Http) -> None:
    """Also when it does not say how long it is."""
    part, kind = b" " * 40_000, [(b"content-type", b"application/json")]
    answer = asyncio.run(ask(http.app, "POST", f"{V1}/jobs/x/cancel", headers=kind, parts=[part] * 1000))
    assert answer.status == 413
    assert answer.headers["connection"] == "close"


def test_a_body_that_ends_too_early_is_refused(http: Http) -> None:
    answer = asyncio.run(ask(http.app, "POST", f"{V1}/jobs", parts=[]))
    assert answer.status == 400


def test_a_method_that_is_not_there_says_which_are(http: Http) -> None:
    answer = http.put(f"{V1}/jobs")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")
    assert http.head(f"{V1}/jobs").status_code == 200
    assert http.get(f"{V1}/jobs/").status_code == 404


def test_a_defect_shows_an_id_only(
    app: Windlass, http: Http, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken() -> None:
        raise KeyError("hunter2")

    monkeypatch.setattr(app, "aoverview", broken)
    answer = http.get(f"{V1}/overview")
    problem = answer.json()
    assert (answer.status_code, problem["title"]) == (500, "Internal error")
    assert "hunter2" not in answer.text
    assert problem["error_id"] in caplog.text

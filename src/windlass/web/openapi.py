"""The OpenAPI document of a table of routes, from the types of its rows."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from windlass.version import VERSION
from windlass.web.problems import MEDIA_TYPE, ProblemDocument
from windlass.web.route import Route
from windlass.web.security.roles import Role

_REFERENCE = "#/components/schemas/{name}"
_EVERYWHERE = (400, 401, 403, 421, 429, 500, 503)
"""Problems that any route may answer."""
_MAY = {
    Role.VIEWER: "Viewers and above.",
    Role.OPERATOR: "Operators and admins.",
    Role.ADMIN: "Admins.",
    Role.WORKER: "Workers, for their queues; operators and admins.",
}
_EVENTS = {"text/event-stream": {"schema": {"type": "object", "properties": {"data": {"type": "string"}}}}}
"""What each event of a stream is."""
_TITLES = {200: "There already.", 404: "There is no such thing.", 409: "Its state does not allow that."}


def document(routes: Sequence[Route], *, root_path: str = "") -> dict[str, Any]:
    """The document; ``root_path`` is where the API is mounted."""
    types = [kind for route in routes for kind in _types(route)]
    schemas, components = msgspec.json.schema_components([ProblemDocument, *types], ref_template=_REFERENCE)
    known = dict(zip(map(id, [ProblemDocument, *types]), schemas, strict=True))
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, known, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Windlass", "version": VERSION, "description": "Background jobs for Python."},
        "servers": [{"url": root_path or "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "tags": [{"name": topic} for topic in dict.fromkeys(route.topic for route in routes)],
    }


def _types(route: Route) -> Iterable[Any]:
    yield route.query
    if route.body is not None:
        yield route.body
    if route.is_json and route.answer is not None:
        yield route.answer


def _operation(route: Route, known: dict[int, Any], components: dict[str, Any]) -> dict[str, Any]:
    said = inspect.getdoc(route.handler)
    operation: dict[str, Any] = {
        "operationId": f"{route.topic}.{route.handler.__name__}".replace(" ", "_").lower(),
        "summary": route.summary,
        "description": " ".join(part for part in (said, _MAY.get(route.role) if route.role else "Public.") if part),
        "tags": [route.topic],
        "parameters": [*_in_path(route), *_in_query(known[id(route.query)], components), *_in_headers(route)],
        "responses": _responses(route, known),
    }
    operation["security"] = [] if route.role is None else [{"token": []}]
    if route.body is not None:
        operation["requestBody"] = {
            "required": route.is_body_needed,
            "content": {"application/json": {"schema": known[id(route.body)]}},
        }
    return operation


def _in_path(route: Route) -> list[dict[str, Any]]:
    text = {"type": "string", "minLength": 1}
    return [{"name": name, "in": "path", "required": True, "schema": text} for name in route.parameters]


def _in_query(reference: dict[str, Any], components: dict[str, Any]) -> list[dict[str, Any]]:
    schema = components[reference["$ref"].rpartition("/")[2]]
    return [
        {"name": name, "in": "query", "required": False, "schema": value}
        for name, value in schema["properties"].items()
        if name not in ("meta", "arg")  # as meta.KEY, for which OpenAPI has no form
    ]


def _in_headers(route: Route) -> list[dict[str, Any]]:
    if 428 not in route.problems:
        return []
    return [{"name": "If-Match", "in": "header", "required": True, "schema": {"type": "string"}}]


def _responses(route: Route, known: dict[int, Any]) -> dict[str, Any]:
    done: dict[str, Any] = {"description": route.summary}
    if not route.is_json:
        done["content"] = _EVENTS if route.is_stream else {"text/plain": {"schema": {"type": "string"}}}
    elif route.answer is not None:
        done["content"] = {"application/json": {"schema": known[id(route.answer)]}}
    responses = {str(route.status): done}
    problem = {"content": {MEDIA_TYPE: {"schema": known[id(ProblemDocument)]}}}
    own = {405, *((408, 413, 415) if route.body is not None else (413,))}
    for status in sorted({*_EVERYWHERE, *own, *route.problems} - {route.status}):
        if status < 300:
            responses[str(status)] = {**done, "description": _TITLES.get(status, "Done.")}
        else:
            responses[str(status)] = {"description": _TITLES.get(status, "A problem."), **problem}
    if not route.is_json and not route.is_stream:
        responses["503"] = {"description": "It does not.", "content": done["content"]}
    return responses

"""Reads a request: its path, its query and its body, strictly; what is wrong is named."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request

from windlass.core.codec import storable
from windlass.web.problems import Problem, bad_input
from windlass.web.route import Route

_PLACE = re.compile(r" - at `\$\.?(.*?)`$")
_KEY = re.compile(r"(?:unknown|required) field `(.*?)`")
_SLOWEST = 20.0
"""Seconds that a body may take to arrive."""
_META = "meta"


def read_path(given: Mapping[str, Any]) -> dict[str, str]:
    """What the path names."""
    return {name: _checked(str(value), name) for name, value in given.items()}


def read_query(request: Request, kind: type[msgspec.Struct]) -> Any:
    """The query as a struct; ``meta.KEY=value`` go into its field ``meta``, if it has one."""
    given: dict[str, Any] = {}
    for name, value in request.query_params.multi_items():
        field, dot, key = name.partition(".")
        into, key = (given.setdefault(_META, {}), key) if dot and _takes_meta(kind, field) else (given, name)
        if key in into or (into is given and name == _META):
            raise bad_input(f"the parameter {name} is given twice, or in a form it does not have", field=name)
        into[key] = _checked(value, name)
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(error, "parameter") from None


async def read_body(request: Request, route: Route) -> Any:
    """What was sent, as the type of the route; checked for its size before it is read, and for its kind before it is
    understood.
    """
    sent = await _bytes(request, route.most_bytes)
    if not sent:
        if route.body is None or not route.is_body_needed:
            return None if route.body is None else msgspec.convert({}, route.body)
        raise bad_input("a JSON body is needed, and none was sent")
    if route.body is None:
        raise bad_input("this takes no body; leave it out")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "Unsupported media type", "send the body as application/json", field="Content-Type")
    try:
        body = msgspec.json.decode(sent, type=route.body)
    except msgspec.ValidationError as error:
        raise _invalid(error, "field") from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise bad_input(f"the body is no JSON that can be read: {_short(error)}") from None
    _check_texts(body, "")
    return body


def field_names(route: Route) -> tuple[str, ...]:
    """The names of the fields that a request of this route may have."""
    structs = [route.query, *_structs(route.body)]
    return (*route.parameters, *(name for struct in structs for name in struct.__struct_fields__))


async def _bytes(request: Request, most: int) -> bytes:
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said[:20]) > most:
        raise _too_large(most)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(_SLOWEST):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise _too_large(most)
                parts.append(part)
    except TimeoutError:
        raise Problem(408, "Request timeout", f"the body did not arrive within {_SLOWEST:g} s") from None
    except ClientDisconnect:
        raise bad_input("the body ended too early") from None
    return b"".join(parts)


def _too_large(most: int) -> Problem:
    # The rest of the body is not read, so the connection cannot be used again.
    return Problem(413, "Too large", f"the body may have {most:,} bytes", headers={"Connection": "close"})


def _takes_meta(kind: type[msgspec.Struct], field: str) -> bool:
    return field == _META and _META in kind.__struct_fields__


def _checked(text: str, name: str) -> str:
    """Refuse what no store can hold."""
    if storable(text) != text:
        raise bad_input(f"{name} has a character that cannot be stored", field=name)
    return text


def _check_texts(value: object, name: str) -> None:
    """The same for the texts of a body; arguments and metadata are checked by what stores them."""
    match value:
        case str():
            _checked(value, name)
        case msgspec.Struct():
            for field in value.__struct_fields__:
                _check_texts(getattr(value, field), field)
        case list() | tuple() if name in ("", "ids", "tags", "queues"):
            for member in value:
                _check_texts(member, name)


def _structs(kind: Any) -> list[type[msgspec.Struct]]:
    found = [kind, *getattr(kind, "__args__", ())]
    inner = [argument for one in found for argument in getattr(one, "__args__", ())]
    return [one for one in (*found, *inner) if isinstance(one, type) and issubclass(one, msgspec.Struct)]


def _invalid(error: msgspec.ValidationError, what: str) -> Problem:
    text = str(error)
    place, key = _PLACE.search(text), _KEY.search(text)
    names = [found.group(1) for found in (place, key) if found is not None]
    field = ".".join(name for name in names if name) or None
    reason = _PLACE.sub("", text)
    return bad_input(f"{what} {field}: {reason}" if field else reason, field=field)


def _short(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]

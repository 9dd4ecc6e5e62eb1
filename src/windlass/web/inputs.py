"""Reads a request: its path, its query and its body, strictly; what is wrong is named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request

from windlass.core.codec import storable
from windlass.web.bodies import SentBody, content_type
from windlass.web.forms import CSRF_FIELD, fields_of
from windlass.web.forms import MEDIA_TYPE as FORM
from windlass.web.problems import Problem, bad_input
from windlass.web.route import Route

_PLACE = re.compile(r" - at `\$\.?(.*?)`$")
_KEY = re.compile(r"(?:unknown|required) field `(.*?)`")
_PAIRED = ("meta", "arg")
"""Fields of a query that take a text for each key: ``meta.KEY=value``."""


def read_path(given: Mapping[str, Any]) -> dict[str, str]:
    """What the path names."""
    return {name: _checked(str(value), name) for name, value in given.items()}


def read_query(request: Request, kind: type[msgspec.Struct]) -> Any:
    """The query as a struct; ``meta.KEY=value`` go into its field ``meta``, ``arg.NAME=value`` into ``arg``, and a list
    takes all values.
    """
    given: dict[str, Any] = {}
    lists = _list_fields(kind)
    for name, value in request.query_params.multi_items():
        if name in lists:
            given.setdefault(name, []).append(_checked(value, name))
            continue
        field, dot, key = name.partition(".")
        into, key = (given.setdefault(field, {}), key) if dot and _takes_pairs(kind, field) else (given, name)
        if key in into or (into is given and name in _PAIRED):
            raise bad_input(f"the parameter {name} is given twice, or in a form it does not have", field=name)
        into[key] = _checked(value, name)
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(error, "parameter") from None


async def read_body(request: Request, route: Route, body: SentBody) -> Any:
    """What was sent, as the type of the route; checked for its size before it is read, and for its kind before it is
    understood.
    """
    sent = await body.read()
    if route.form is not None:
        return _read_form(request, sent, route.form)
    if not sent:
        if route.body is None or not route.is_body_needed:
            return None if route.body is None else msgspec.convert({}, route.body)
        raise bad_input("a JSON body is needed, and none was sent")
    if route.body is None:
        raise bad_input("this takes no body; leave it out")
    if content_type(request) != "application/json":
        raise Problem(415, "Unsupported media type", "send the body as application/json", field="Content-Type")
    try:
        read = msgspec.json.decode(sent, type=route.body)
    except msgspec.ValidationError as error:
        raise _invalid(error, "field") from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise bad_input(f"the body is no JSON that can be read: {_short(error)}") from None
    _check_texts(read, "")
    return read


def _read_form(request: Request, sent: bytes, kind: type[msgspec.Struct]) -> Any:
    """The fields of a form as a struct. A field that was left empty counts as not sent, and a list takes all that have
    its name.
    """
    if sent and content_type(request) != FORM:
        raise Problem(415, "Unsupported media type", f"send the form as {FORM}", field="Content-Type")
    given: dict[str, Any] = {}
    lists = _list_fields(kind)
    for name, value in fields_of(sent):
        if name == CSRF_FIELD or not value:
            continue
        if name in lists:
            given.setdefault(name, []).append(_checked(value, name))
        elif name in given:
            raise bad_input(f"the field {name} is given twice", field=name)
        else:
            given[name] = _checked(value, name)
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(error, "field") from None


@cache
def _list_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """Kept, for annotations are texts that would be compiled anew for each request."""
    return frozenset(field.name for field in msgspec.structs.fields(kind) if _is_list(field.type))


def _is_list(kind: Any) -> bool:
    plain = kind.__origin__ if hasattr(kind, "__metadata__") else kind
    return getattr(plain, "__origin__", plain) in (list, tuple)


def field_names(route: Route) -> tuple[str, ...]:
    """The names of the fields that a request of this route may have."""
    structs = [route.query, *_structs(route.body), *_structs(route.form)]
    return (*route.parameters, *(name for struct in structs for name in struct.__struct_fields__))


def _takes_pairs(kind: type[msgspec.Struct], field: str) -> bool:
    return field in _PAIRED and field in kind.__struct_fields__


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

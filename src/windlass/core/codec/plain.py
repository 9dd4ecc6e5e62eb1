"""Metadata: plain JSON without tags."""

from __future__ import annotations

from windlass.core.codec.limits import inside
from windlass.core.codec.rejection import Rejection
from windlass.core.codec.stored_text.jsontext import WORD, require_finite
from windlass.core.codec.stored_text.storable import require_text


def require_plain(value: object, room: int) -> None:
    """Rejection unless ``value`` is plain JSON that comes back equal, with at most ``room`` levels of containers."""
    if type(value) is dict:
        _require_fields(value, inside(room))
    elif type(value) is list:
        _require_items(value, inside(room))
    elif type(value) is str:
        require_text(value)
    elif type(value) is float:
        require_finite(value)
    elif type(value) is int:
        if not -WORD <= value < WORD:
            raise Rejection("an int beyond 64 bits cannot be stored in metadata; pass it as text")
    elif value is not None and type(value) is not bool:
        raise Rejection(f"{type(value).__qualname__} cannot be stored in metadata; pass plain JSON values")


def _require_fields(values: dict[object, object], room: int) -> None:
    for key, value in values.items():
        try:
            if type(key) is not str:
                raise Rejection("the keys of metadata must be text")
            require_text(key)
            require_plain(value, room)
        except Rejection as rejection:
            rejection.at_key(key)
            raise


def _require_items(values: list[object], room: int) -> None:
    for index, value in enumerate(values):
        try:
            require_plain(value, room)
        except Rejection as rejection:
            rejection.at_index(index)
            raise

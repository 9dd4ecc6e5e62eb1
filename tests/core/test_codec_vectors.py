"""docs/payload-vectors.json: what readers and writers in other languages are tested against holds for our own codec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from windlass.core.codec import Codec
from windlass.errors import PayloadError

FILE = Path(__file__).parents[2] / "docs" / "payload-vectors.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))


def named(vector: dict[str, str]) -> str:
    return vector["name"]


@pytest.mark.parametrize("vector", VECTORS["calls"], ids=named)
def test_a_call_is_read_and_written_as_the_file_says(vector: dict[str, Any]) -> None:
    """B27: with its seal, and without one."""
    codec = Codec()
    args, kwargs = codec.decode_call(None, vector["stored"])
    assert in_any_order(repr((args, kwargs))) == in_any_order(vector["python"])
    assert codec.encode_call(None, args, kwargs) == vector["stored"]
    assert vector["stored"].rstrip() == vector["json"]
    assert codec.encode_call(None, *codec.decode_call(None, vector["json"])) == vector["stored"]


@pytest.mark.parametrize("vector", VECTORS["results"], ids=named)
def test_a_result_is_read_and_written_as_the_file_says(vector: dict[str, Any]) -> None:
    """B27."""
    codec = Codec()
    value = codec.decode_result(None, vector["stored"])
    assert repr(value) == vector["python"]
    assert codec.encode_result(None, value) == vector["stored"]


@pytest.mark.parametrize("vector", VECTORS["invalid"], ids=named)
def test_what_the_file_calls_invalid_is_refused(vector: dict[str, Any]) -> None:
    """B27."""
    with pytest.raises(PayloadError):
        Codec().decode_call(None, vector["stored"])


def in_any_order(text: str) -> str:
    """Of a set the order of the members says nothing."""
    return "".join(sorted(text))

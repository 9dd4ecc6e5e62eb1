"""The seal behind stored texts: damage is found, and readers that know no seal are not disturbed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec
import pytest

from windlass import PayloadError
from windlass.core.codec import Codec, seal, unseal
from windlass.core.fault import Fault, add_fault, add_log, read_faults
from windlass.core.meta import is_readable, read_meta
from windlass.core.unique import key_of

CODEC = Codec()
FAULT = Fault(at=1, attempt=1, worker="w", type="OSError", message="no ü")


def flipped(text: str) -> Iterator[str]:
    """The text with each of its bits flipped, as far as that is text."""
    stored = text.encode()
    for place in range(8 * len(stored)):
        damaged = bytearray(stored)
        damaged[place // 8] ^= 1 << place % 8
        try:
            yield damaged.decode()
        except UnicodeDecodeError:
            continue  # stores and drivers find that themselves


def crc_16(stored: bytes) -> int:
    """By the definition."""
    register = 0xFFFF
    for byte in stored:
        register ^= byte << 8
        for _ in range(8):
            register = (register << 1 ^ 0x1021) & 0xFFFF if register & 0x8000 else register << 1
    return register


def test_the_seal_is_as_documented() -> None:
    text = CODEC.encode_call(None, (7,), {})
    stored, digits = text[:-8], text[-8:]
    assert stored == '{"v":1,"args":[7],"kwargs":{}}'
    assert int("".join(str(" \t\n\r".index(digit)) for digit in digits), 4) == crc_16(stored.encode())


@pytest.mark.parametrize("args", [(), (7,), ("ü", 1.5), ([{"a": None}] * 20,)])
def test_every_flipped_bit_of_a_call_is_found(args: tuple[object, ...]) -> None:
    for damaged in flipped(CODEC.encode_call(None, args, {})):
        with pytest.raises(PayloadError):
            CODEC.decode_call(None, damaged)


@pytest.mark.parametrize("value", [5, 1234567890, "", "a b\n", [], {"a": 1}, True, 0.1])
def test_every_flipped_bit_of_a_result_is_found(value: object) -> None:
    text = CODEC.encode_result(None, value)
    assert text is not None
    assert CODEC.decode_result(None, text) == value
    for damaged in flipped(text):
        with pytest.raises(PayloadError):
            CODEC.decode_result(None, damaged)


def test_every_flipped_bit_of_metadata_is_found() -> None:
    text = CODEC.encode_meta({"meta": {"tenant": 1}, "tags": ["vip"]})
    assert read_meta(text).tags == ("vip",)
    assert not any(is_readable(damaged) for damaged in flipped(text))


def test_every_flipped_bit_of_a_history_is_found() -> None:
    text = add_log(add_fault(None, FAULT), "done")
    assert read_faults(text).faults == (FAULT,)
    assert all(read_faults(damaged).corrupt for damaged in flipped(text))


def test_what_has_no_seal_is_read() -> None:
    """Jobs of earlier releases, and of writers in other languages."""
    assert CODEC.decode_call(None, '{"v":1,"args":[7],"kwargs":{}}') == ((7,), {})
    assert CODEC.decode_call(None, '{"v": 1, "args": [7], "kwargs": {}}\n') == ((7,), {})
    assert CODEC.decode_result(None, "5") == 5
    assert read_meta('{"meta":{"a":1}}').meta == {"a": 1}
    assert read_faults(msgspec.json.encode({"left_out": 0, "faults": [FAULT]}).decode()).faults == (FAULT,)


@pytest.mark.parametrize("text", ["", "\n", " " * 7, " " * 8, "\udcff", "x" * 17 + "\udcff"])
def test_what_is_shorter_than_a_seal_or_no_text(text: str) -> None:
    with pytest.raises(PayloadError):
        CODEC.decode_call(None, text)


def test_readers_that_know_no_seal_read_the_text() -> None:
    text = CODEC.encode_call(None, (7,), {})
    assert json.loads(text) == msgspec.json.decode(text) == {"v": 1, "args": [7], "kwargs": {}}


def test_a_seal_that_was_cut_off_takes_nothing_along() -> None:
    sealed = seal(b"[1,2]")
    assert [unseal(sealed[:-cut]).rstrip() for cut in range(2, 9)] == [b"[1,2]"] * 7


def test_unique_keys_are_those_of_earlier_releases() -> None:
    """Both run side by side while a new release is rolled out."""
    assert key_of("mail", CODEC.encode_call(None, (7,), {})) == key_of("mail", '{"v":1,"args":[7],"kwargs":{}}')

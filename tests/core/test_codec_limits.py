"""B2: sizes are bounded; exactly the limit is fine."""

from __future__ import annotations

import pytest

from windlass.core.codec import Codec, Limits, seal, unseal
from windlass.errors import PayloadError, PayloadTooLarge

CODEC = Codec()
MIB = 1024 * 1024
EMPTY_CALL = len('{"v":1,"args":[""],"kwargs":{}}')


def test_the_defaults_are_those_of_the_ledger() -> None:
    """B2: 1 MiB, 1 MiB, 16 KiB, 64 KiB, 64 levels."""
    assert Limits() == Limits(payload=MIB, result=MIB, meta=16 * 1024, error=64 * 1024, depth=64)


@pytest.mark.parametrize("spare", [1, 0])
def test_a_payload_up_to_the_limit_is_stored(spare: int) -> None:
    """B2: exactly 1 MiB is fine."""
    text = CODEC.encode_call(None, ("x" * (MIB - EMPTY_CALL - spare),), {})
    assert len(unseal(text)) == MIB - spare
    CODEC.decode_call(None, text)


def send(blob: object, note: object) -> None: ...


def test_a_payload_over_the_limit_is_refused_with_sizes_and_the_largest_argument() -> None:
    with pytest.raises(PayloadTooLarge) as caught:
        CODEC.encode_call(CODEC.signature(send), ("x" * MIB,), {"note": "y"})
    assert str(caught.value) == (
        "payload is 1,048,617 bytes, the limit is 1,048,576; the largest part is argument 'blob' with 1,048,578 bytes"
    )


def test_one_byte_over_the_limit_is_too_much() -> None:
    with pytest.raises(PayloadTooLarge, match="1,048,577 bytes"):
        CODEC.encode_call(None, ("x" * (MIB - EMPTY_CALL + 1),), {})


def test_a_call_without_arguments_can_be_over_a_limit_too() -> None:
    with pytest.raises(PayloadTooLarge, match=r"the limit is 5$"):
        Codec(limits=Limits(payload=5)).encode_call(None, (), {})


def test_sizes_are_bytes_and_not_characters() -> None:
    codec = Codec(limits=Limits(result=6))
    assert codec.encode_result(None, "éé") == seal('"éé"'.encode())
    with pytest.raises(PayloadTooLarge, match="result is 7 bytes, the limit is 6"):
        codec.encode_result(None, "ééa")


@pytest.mark.parametrize("spare", [1, 0])
def test_a_result_up_to_the_limit_is_stored(spare: int) -> None:
    text = CODEC.encode_result(None, "x" * (MIB - 2 - spare))
    assert text is not None
    assert len(unseal(text)) == MIB - spare


def test_a_result_over_the_limit_is_refused() -> None:
    """B2: it ends the job as failed(result)."""
    with pytest.raises(PayloadTooLarge, match="result is 1,048,577 bytes"):
        CODEC.encode_result(None, "x" * (MIB - 1))


def test_no_result_takes_no_room() -> None:
    assert CODEC.encode_result(None, None) is None
    assert CODEC.decode_result(None, None) is None


@pytest.mark.parametrize("spare", [1, 0])
def test_metadata_up_to_the_limit_is_stored(spare: int) -> None:
    meta = {"a": "x" * (16 * 1024 - len('{"a":""}') - spare)}
    assert CODEC.decode_meta(CODEC.encode_meta(meta)) == meta


def test_metadata_over_the_limit_is_refused() -> None:
    with pytest.raises(PayloadTooLarge, match="meta is 16,385 bytes, the limit is 16,384"):
        CODEC.encode_meta({"a": "x" * (16 * 1024 - len('{"a":""}') + 1)})


def test_metadata_is_plain_json_without_tags() -> None:
    meta: dict[str, object] = {"tags": ["a", 1, 2.5, None, True], "$": {"$": "datetime"}}
    text = CODEC.encode_meta(meta)
    assert text.rstrip() == '{"tags":["a",1,2.5,null,true],"$":{"$":"datetime"}}'
    assert CODEC.decode_meta(text) == meta


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ((1,), "tuple cannot be stored in metadata"),
        (2**63, "beyond 64 bits"),
        (float("nan"), "NaN"),
        ({1: 2}, "keys of metadata must be text"),
        ("\ud800", "lone surrogate"),
        ({"\ud800": 1}, "lone surrogate"),
        ([object()], "object cannot be stored"),
    ],
)
def test_metadata_of_any_other_kind_is_refused_with_its_place(value: object, reason: str) -> None:
    with pytest.raises(PayloadError, match=rf"^meta \(at \.key.*{reason}"):
        CODEC.encode_meta({"key": value})


def test_metadata_that_contains_itself_is_refused() -> None:
    meta: dict[str, object] = {}
    meta["self"] = meta
    with pytest.raises(PayloadError, match="contains itself"):
        CODEC.encode_meta(meta)


@pytest.mark.parametrize("text", ["", "[]", "1", "{", '{"a":1,"a":2}'])
def test_corrupt_metadata_is_one_declared_error(text: str) -> None:
    """B32."""
    with pytest.raises(PayloadError):
        CODEC.decode_meta(text)

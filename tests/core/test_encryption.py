"""Encrypted texts: they come back whole, only where they belong, and keys are checked without being shown."""

from __future__ import annotations

import base64
from binascii import a2b_base64
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from windlass import ConfigError, NoKey, PayloadError, new_encryption_key
from windlass.core.codec import Codec, unseal
from windlass.core.encryption.encryption import NO_ENCRYPTION, Encryption
from windlass.core.encryption.keys import Keys, split_keys
from windlass.core.encryption.text import COMPARED, compared, is_encrypted, key_id_of
from windlass.core.fault import Fault, add_fault, read_faults

KEY = new_encryption_key()
NEXT = new_encryption_key([KEY])
ONE, BOTH = Encryption([KEY]), Encryption([NEXT, KEY])
FAULT = Fault(at=1, attempt=1, worker="w", type="OSError", message="x")


@given(some.binary(), some.text(), some.text())
def test_a_text_comes_back(clear: bytes, field: str, owner: str) -> None:
    text = ONE.encrypt(field, (owner,), clear)
    assert is_encrypted(text)
    assert text.isascii()
    assert ONE.decrypt(field, (owner,), text) == clear == BOTH.decrypt(field, (owner,), text)
    assert key_id_of(text) == Keys([KEY]).ids[0]


@given(some.recursive(some.none() | some.text() | some.integers(), some.lists, max_leaves=5), some.text(min_size=1))
def test_a_call_comes_back(value: object, id: str) -> None:
    clear = unseal(Codec().encode_call(None, (value,), {}))
    text = ONE.encrypt_call(clear, id=id, unique_key=None)
    assert ONE.decrypt_call(text, id=id, unique_key="other") == clear
    assert compared(text) == compared(BOTH.encrypt_call(clear, id=id, unique_key="key")) == text[:COMPARED]
    assert compared(text) != compared(ONE.encrypt_call(clear + b" ", id=id, unique_key=None))
    assert compared(text) != compared(ONE.encrypt_call(clear, id=f"{id}+", unique_key=None))


def test_the_same_text_is_never_the_same_ciphertext() -> None:
    assert ONE.encrypt("meta", ("a",), b"{}") != ONE.encrypt("meta", ("a",), b"{}")


def test_what_is_compared_as_a_whole_is_the_same_each_time() -> None:
    """For definitions of schedules; only the same text has the same nonce."""
    first, second = (ONE.encrypt_same("schedule", ("a",), clear) for clear in (b"1", b"2"))
    assert first == ONE.encrypt_same("schedule", ("a",), b"1")
    assert a2b_base64(first.split(".")[2])[:12] != a2b_base64(second.split(".")[2])[:12]


@pytest.mark.parametrize(("field", "owner"), [("result", ("a",)), ("meta", ("b",)), ("meta", ("a", "")), ("meta", ())])
def test_a_text_opens_only_where_it_belongs(field: str, owner: tuple[str, ...]) -> None:
    text = ONE.encrypt("meta", ("a",), b"{}")
    with pytest.raises(PayloadError, match="damaged, or belongs elsewhere"):
        ONE.decrypt(field, owner, text)


def test_a_call_that_may_be_replaced_belongs_to_its_unique_key() -> None:
    text = ONE.encrypt_call(b"{}", id="a", unique_key="k")
    assert ONE.decrypt_call(text, id="b", unique_key="k") == b"{}"
    for key in (None, "other"):
        with pytest.raises(PayloadError):
            ONE.decrypt_call(text, id="a", unique_key=key)


def test_a_flipped_bit_gives_the_text_or_an_error() -> None:
    """Never another text. One in the id of the key does no harm where the key is at hand."""
    text = ONE.encrypt("meta", ("a",), b"secret")
    for place in range(8 * len(text)):
        damaged = bytearray(text.encode())
        damaged[place // 8] ^= 1 << place % 8
        with suppress(PayloadError, UnicodeDecodeError):
            assert ONE.decrypt("meta", ("a",), damaged.decode()) == b"secret"


def test_a_missing_key_is_named() -> None:
    text = BOTH.encrypt("meta", ("a",), b"{}")
    for reader in (ONE, NO_ENCRYPTION):
        with pytest.raises(NoKey, match=Keys([NEXT]).ids[0]) as error:
            reader.decrypt("meta", ("a",), text)
        assert error.value.key_id == Keys([NEXT]).ids[0]
    with pytest.raises(NoKey):
        Codec().decode_meta(text)


def test_a_rotation_keeps_what_tells_equal_calls() -> None:
    assert ONE.digest(b"call") == BOTH.digest(b"call") == Encryption([NEXT]).digest(b"call")
    assert ONE.digest(b"call") != Encryption([new_encryption_key()]).digest(b"call")


BAD = {
    "a text": "not a list",
    "nothing": [],
    "not base64": ["ü" * 88],
    "short": [base64.b64encode(b"x" * 32).decode()],
    "no text": [b"x" * 64],
    "twice": [KEY, KEY],
    "strangers": [KEY, new_encryption_key()],
}


@pytest.mark.parametrize("keys", BAD.values(), ids=list(BAD))
def test_what_is_no_key_is_refused_without_being_shown(keys: object) -> None:
    with pytest.raises(ConfigError, match="encryption_keys") as error:
        Keys(keys)
    assert not any(str(key) in str(error.value) for key in keys if len(key) > 3)  # type: ignore[attr-defined]  # a list or a text


def test_keys_do_not_show_themselves() -> None:
    shown = f"{Keys([KEY])!r} {ONE!r} {vars(Codec())}"
    assert KEY not in shown
    assert KEY[:12] not in shown


def test_keys_of_a_file_may_have_comments() -> None:
    assert split_keys(f"# new\n{KEY},\n\n# old\n{NEXT} ") == [KEY, NEXT]


def test_errors_grow_without_the_key() -> None:
    """A rescue adds in clear what it knows; it is not secret."""
    text = ONE.encrypt("errors", ("a",), unseal(add_fault(None, FAULT)))
    for _ in range(30):
        text = add_fault(text, FAULT)
    assert text.count("\n") - text.rstrip().count("\n") < 8
    found = read_faults(text)
    assert (len(found.faults), found.encrypted, found.corrupt) == (20, True, False)
    assert ONE.decrypt("errors", ("a",), text.partition("\n")[0])

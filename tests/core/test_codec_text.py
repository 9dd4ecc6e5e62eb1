"""Text that every store can hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.codec import storable

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("\0\ud800\udfff"))


@given(any_text)
def test_storable_text_has_no_nul_and_a_utf8_form(text: str) -> None:
    stored = storable(text)
    assert "\0" not in stored
    assert len(stored) == len(text)
    stored.encode()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_text_that_is_storable_already_stays_as_it_is(text: str) -> None:
    assert storable(text) == text


@given(any_text, st.integers(0, 60))
def test_cut_text_fits_the_limit(text: str, limit: int) -> None:
    assert len(storable(text, limit).encode()) <= limit


def test_nul_and_lone_surrogates_become_visible() -> None:
    assert storable("a\0b\ud800c") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"


@pytest.mark.parametrize("length", [99, 100])
def test_text_up_to_the_limit_is_not_cut(length: int) -> None:
    assert storable("x" * length, 100) == "x" * length


def test_text_over_the_limit_ends_in_a_mark_with_its_size() -> None:
    stored = storable("x" * 101, 100)
    assert stored.endswith("x… [cut, 101 bytes in all]")
    assert len(stored.encode()) == 100


def test_no_character_is_cut_in_the_middle() -> None:
    for limit in range(30, 40):
        assert storable("é" * 100, limit).endswith("é… [cut, 200 bytes in all]")


def test_a_limit_too_small_for_the_mark_leaves_it_out() -> None:
    assert storable("abcdefgh", 3) == "abc"
    assert storable("abcdefgh", 0) == ""


class Odd(str):
    __slots__ = ()

    def encode(self, *_: object) -> bytes:
        raise RuntimeError("odd")


def test_a_subclass_of_str_becomes_plain_text() -> None:
    assert type(storable(Odd("a"), 10)) is str

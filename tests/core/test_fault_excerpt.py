"""What is kept of a text that may be endless."""

from __future__ import annotations

import json
import re

import pytest

from windlass.core.fault import Excerpt, Fault, add_fault


def excerpt_of(*entries: str, limit: int = 16 * 1024) -> Excerpt:
    excerpt = Excerpt(limit)
    for entry in entries:
        excerpt.add(entry)
    return excerpt


def left_out(text: str) -> tuple[int, int]:
    """Entries and bytes that the text says are missing."""
    found = re.search(r"^\[\.\.\. ([\d,]+) entries left out, ([\d,]+) bytes\]$", text, re.MULTILINE)
    assert found is not None
    return int(found[1].replace(",", "")), int(found[2].replace(",", ""))


def test_a_short_text_is_kept_as_it_is() -> None:
    excerpt = excerpt_of("one", "two\nlines", "three")
    assert excerpt.text() == "one\ntwo\nlines\nthree"
    assert excerpt.text(limit=1000) == excerpt.text()


def test_nothing_is_an_empty_text() -> None:
    assert not Excerpt()
    assert Excerpt().text() == ""


@pytest.mark.parametrize("limit", [16 * 1024, 1000, 300])
@pytest.mark.parametrize("asked", ["at once", "later"])
def test_of_a_long_text_the_first_and_the_newest_stay(limit: int, asked: str) -> None:
    """Also when it has to be shortened once more."""
    entries = [f"entry number {number}" for number in range(5000)]
    text = excerpt_of(*entries, limit=limit).text() if asked == "at once" else excerpt_of(*entries).text(limit)
    lines = text.splitlines()
    assert (lines[0], lines[-1]) == (entries[0], entries[-1])
    assert len(text.encode()) <= limit
    kept = [line for line in lines if line in entries]
    assert kept == sorted(kept, key=entries.index)
    missing = [entry for entry in entries if entry not in kept]
    assert left_out(text) == (len(missing), sum(len(entry) + 1 for entry in missing))


def test_an_entry_alone_may_not_fill_the_room() -> None:
    text = excerpt_of("before", "x" * 100_000, "after").text()
    assert text.startswith("before\nxxx")
    assert text.endswith("[cut, 100000 bytes in all]\nafter")


def test_there_are_at_most_200_entries() -> None:
    text = excerpt_of(*"x" * 1000).text()
    assert len(text.splitlines()) == 201
    assert left_out(text) == (800, 1600)


def test_what_a_store_cannot_hold_is_replaced() -> None:
    assert excerpt_of("a\0b\ud800c").text() == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"


@pytest.mark.parametrize("character", ["x", "\x01", "ß"])
def test_an_error_with_a_log_keeps_to_its_limit(character: str) -> None:
    """JSON writes one byte as six at worst."""
    log = excerpt_of(*(character * 500 for _ in range(100)))
    fault = Fault.of(ValueError(character * 100_000), at=1, attempt=1, worker="w", log=log)
    [stored] = json.loads(add_fault(None, fault))["faults"]
    assert len(json.dumps(stored, ensure_ascii=False).encode()) <= 64 * 1024
    assert left_out(stored["log"])[0] > 0

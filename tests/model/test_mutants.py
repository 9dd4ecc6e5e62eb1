"""The planted bugs still find the words that they replace; ``tests.model.mutants`` tells whether each bug is found."""

from __future__ import annotations

import pytest

from tests.model.mutants import ALL
from tests.model.statement_edits import Edit
from windlass.store.statement_files import load_calls

CALLS = load_calls("windlass.store.sqlite", prefix="windlass_")


@pytest.mark.parametrize("edits", ALL.values(), ids=ALL)
def test_a_planted_bug_changes_a_statement(edits: list[Edit]) -> None:
    for edit in edits:
        assert edit.made_in(CALLS)[edit.call] != CALLS[edit.call]

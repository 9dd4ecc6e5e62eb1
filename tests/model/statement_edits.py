"""Other words in the statements of a store, which is how most bugs are planted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace as with_fields

from windlass.store.statement_files import Statement

Calls = Mapping[str, Sequence[Statement]]


class Edit(NamedTuple):
    """Other words in every statement of a call that has these."""

    call: str
    words: str
    instead: str = ""

    def made_in(self, calls: Calls) -> Calls:
        statements = calls[self.call]
        if not any(self.words in one.text for one in statements):
            raise ValueError(f"no statement of {self.call} says {self.words!r}")
        edited = [with_fields(one, text=one.text.replace(self.words, self.instead)) for one in statements]
        return {**calls, self.call: edited}

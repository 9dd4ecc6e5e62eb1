"""The statements of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windlass.store.operation import Answer
from windlass.store.sqlite.libraries import Statements
from windlass.store.statement_files import Statement


class GuardHit(Exception):
    """A guard statement gave rows: the call ends with them and leaves nothing behind."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that is ready to be carried out, by any thread: whatever is wrong with its values was found before."""

    statements: Sequence[Statement]
    params: Mapping[str, Any]
    bound: dict[str, Any]
    """The parameters as SQLite takes them; no other call has this dictionary."""

    def performed(self, *, now: int) -> Statements[Answer]:
        """Run the statements in order; raises ``GuardHit`` where a guard stops the call."""
        bound = self.bound
        bound["now"] = now
        answer: dict[str, Any] = {}
        for statement in self.statements:
            if statement.only_with is not None and not statement.only_with.of(self.params):
                continue
            if statement.each is not None:
                for item in statement.each.of(self.params):
                    yield statement.text, {**bound, **dict(zip(statement.each_names, item, strict=True))}
                continue
            rows = yield statement.text, bound
            if statement.is_guard:
                if rows:
                    raise GuardHit({str(statement.gives): rows})
            elif statement.binds is not None:
                bound[statement.binds] = rows[0][0]
            elif statement.gives is not None:
                answer[statement.gives] = rows[0][0] if statement.is_json else rows
        return answer

"""The statements of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from windlass.store.driver import json_text
from windlass.store.operation import Answer, Call
from windlass.store.sqlite.libraries import Connection, Statements, carry_out
from windlass.store.statement_files import Statement

_COMPOSED = (list, dict)


class GuardHit(Exception):
    """A guard statement gave rows: the call ends with them and leaves nothing behind."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


class BoundCall(Struct, frozen=True):
    """A call with its values, ready to be carried out by any thread: whatever is wrong with them was found before."""

    statements: Sequence[Statement]
    params: Mapping[str, Any]
    bound: Mapping[str, Any]
    """The parameters as SQLite takes them, and what statements ahead have bound."""
    now: Callable[[], int]
    found: Answer = {}
    """What statements ahead have given."""

    @property
    def reads_ahead(self) -> bool:
        """Whether part of it may be read before the transaction."""
        return any(statement.is_ahead for statement in self.statements)

    def read_ahead(self, connection: Connection) -> BoundCall:
        """Run the statements that only read, before the transaction; returns the call with the statements that are
        left to run.
        """
        ahead = [statement for statement in self.statements if statement.is_ahead]
        bound = {**self.bound, "now": self.now()}
        found = carry_out(_performed(ahead, self.params, bound), connection)
        left = [one for one in self.statements if not (one.is_ahead or one.is_left_out(self.params, bound))]
        return replace(self, statements=left, bound=bound, found=found)

    def run_on(self, connection: Connection) -> Answer:
        """Run the statements on a connection of our own, inside the transaction that is open."""
        return carry_out(self.performed(), connection)

    def performed(self) -> Statements[Answer]:
        """Run the statements in order; raises ``GuardHit`` where a guard stops the call. May be repeated: what the
        statements bind is bound anew.
        """
        # Read after the lock was taken: a call that waited must not judge leases by the time at which it came.
        bound = {**self.bound, "now": self.now()}
        return {**self.found, **(yield from _performed(self.statements, self.params, bound))}


def _performed(statements: Sequence[Statement], params: Mapping[str, Any], bound: dict[str, Any]) -> Statements[Answer]:
    """Run statements in order; what they bind is put into ``bound``."""
    answer: dict[str, Any] = {}
    for statement in statements:
        if statement.is_left_out(params, bound):
            continue
        if statement.each is not None:
            found: list[Sequence[Any]] = []
            for item in statement.each.of(params):
                found += yield statement.text, {**bound, **dict(zip(statement.each_names, item, strict=True))}
            if statement.gives is not None:
                answer.setdefault(statement.gives, []).extend(found)
            for name in statement.binds:
                every = [*params.get(name, ()), *found]
                params = {**params, name: every}
                bound[name] = json_text(every, store="SQLite")
            continue
        rows = yield statement.text, bound
        if statement.is_guard:
            if rows:
                raise GuardHit({str(statement.gives): rows})
        elif statement.binds_rows:
            params = {**params, **dict.fromkeys(statement.binds, rows)}
        elif statement.binds:
            bound.update(zip(statement.binds, rows[0], strict=True))
        elif statement.gives is not None:
            answer[statement.gives] = rows[0][0] if statement.is_json else rows
    return answer


class Calls:
    """All calls of one store; ``name`` is the store's, ``now`` gives the time in milliseconds."""

    def __init__(self, statements: Mapping[str, Sequence[Statement]], *, name: str, now: Callable[[], int]) -> None:
        self.statements = statements
        self._name = name
        self._now = now

    def bind(self, call: Call) -> BoundCall:
        """Raises ``DataRejected`` for values that no store has room for."""
        bound: dict[str, Any] = {**call.params}
        for name, value in call.params.items():
            if type(value) in _COMPOSED:
                bound[name] = json_text(value, store=self._name)
        return BoundCall(self.statements[call.name], call.params, bound, self._now)

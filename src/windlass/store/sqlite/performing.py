"""A call as the statements that make it up, on whatever connection they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windlass.store.operation import Answer
from windlass.store.sqlite.library import Statements
from windlass.store.sqlite.writer import Guarded
from windlass.store.statements import Statement


def performed(
    statements: Sequence[Statement], params: Mapping[str, Any], bound: Mapping[str, Any]
) -> Statements[Answer]:
    """Run the statements of a call in order; ``bound`` has its parameters as SQLite takes them.

    Raises ``Guarded`` where a guard stops the call.
    """
    answer: dict[str, Any] = {}
    for statement in statements:
        if statement.only_with is not None and not params[statement.only_with]:
            continue
        if statement.each is not None:
            for item in params[statement.each]:
                yield statement.text, {**bound, **dict(zip(statement.each_names, item, strict=True))}
            continue
        rows = yield statement.text, bound
        if statement.is_guard:
            if rows:
                raise Guarded({str(statement.gives): rows})
        elif statement.gives is not None:
            answer[statement.gives] = rows[0][0] if statement.is_json else rows
    return answer

"""The results of many jobs, in order, as a sequence that is read page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from windlass.client.result_waiter import refuse_on_loop_thread
from windlass.core.codec.types.group_results import GroupResults
from windlass.core.encryption.jobs import open_ended
from windlass.core.flows.inputs import has_group
from windlass.core.state import State
from windlass.errors import PayloadError
from windlass.store.operations import queries
from windlass.store.operations.flows.groups import members
from windlass.store.operations.flows.inputs import failure_of

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.store.operation import Operation

_AT_ONCE = 1000
"""How many results one page has at the most; all of its texts together have 4 MiB, or one of them more."""


class Results(Sequence[Any]):
    """What the members of a group returned, in their order. Where one did not complete there is a ``ParentFailed``.

    It is read from the store as it is needed, in pages, and only the newest page is kept: the results of a group may be
    larger than the memory of a worker. Async code reads it with ``async for``, or all at once with ``alist()``.

    >>> from windlass import Results, Windlass, group
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> @app.task
    ... def total(results: Results) -> int:
    ...     return sum(results)
    >>> flow = group([double.request(n) for n in range(4)]).then(total.request()).enqueue()
    >>> app.worker().run_until_empty()
    5
    >>> flow.result(), list(flow.results()), flow.results()[-1]
    (12, [0, 2, 4, 6], 6)
    >>> app.close()
    """

    def __init__(self, client: Client, source: GroupResults | Sequence[str]) -> None:
        self._client = client
        self._group = source if isinstance(source, GroupResults) else None
        self._ids: list[str] | None = None if isinstance(source, GroupResults) else list(source)
        self._page: list[Any] = []
        self._first = 0
        """The position of the page's first result."""

    def __repr__(self) -> str:
        return "<Results of a group>" if self._ids is None else f"<Results of {len(self._ids):,} jobs>"

    def __len__(self) -> int:
        if self._ids is None:
            self._refuse_on_loop()
            self._ids = self._client.session.run(self._read_ids())
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"there are {len(self):,} results; there is none at {index}")
        if not self._has(position):
            self._refuse_on_loop()
            self._take_in(position, self._client.session.run(self._read(position)))
        return self._page[position - self._first]

    def __iter__(self) -> Iterator[Any]:
        for position in range(len(self)):
            yield self[position]

    async def __aiter__(self) -> AsyncIterator[Any]:
        session = self._client.session
        if self._ids is None:
            self._ids = await session.arun(self._read_ids())
        for position in range(len(self._ids)):
            if not self._has(position):
                self._take_in(position, await session.arun(self._read(position)))
            yield self._page[position - self._first]

    async def alist(self) -> list[Any]:
        """All of them, for async code."""
        return [value async for value in self]

    def _has(self, position: int) -> bool:
        return self._first <= position < self._first + len(self._page)

    def _take_in(self, position: int, page: list[Any]) -> None:
        self._first, self._page = position, page

    def _refuse_on_loop(self) -> None:
        refuse_on_loop_thread("a look at the results of a group", "async for value in results")

    def _read_ids(self) -> Operation[list[str]]:
        """Of all members; an empty one for a job that is gone."""
        assert self._group is not None
        found = yield from queries.find([self._group.of])
        ids: list[str] = []
        if (callback := found.get(self._group.of)) is not None:
            after = -1
            while page := (yield from members(callback.seq, after=after)):
                ids += [member.id or "" for member in page]
                after = page[-1].place
        if len(ids) < self._group.size:
            raise PayloadError(
                f"group {self._group.of}: {self._group.size:,} members were stored, and the store knows {len(ids):,}"
            )
        return ids

    def _read(self, position: int) -> Operation[list[Any]]:
        """A page of results, at least one."""
        assert self._ids is not None
        wanted = self._ids[position : position + _AT_ONCE]
        there = [id for id in wanted if id]
        page = (yield from queries.awaited(there)) if there else []
        found = {ended.id: open_ended(self._client.encryption, ended) for ended in page}
        values = [self._value(wanted[0], found)]
        for id in wanted[1:]:
            if id and id not in found:
                break  # it comes with the next page
            values.append(self._value(id, found))
        return values

    def _value(self, id: str, found: Mapping[str, queries.FinishedJob]) -> Any:
        ended = found.get(id)
        if ended is None or ended.state is not State.COMPLETED:
            return failure_of(id, ended)
        return self._client.decode_result(str(ended.task), ended.result)


def with_group_results(
    client: Client, payload: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a stored call, with sequences that can be read in the places of references to them."""
    if not has_group(payload):
        return args, kwargs

    def readable(value: Any) -> Any:
        return Results(client, value) if isinstance(value, GroupResults) else value

    return tuple(map(readable, args)), {name: readable(value) for name, value in kwargs.items()}

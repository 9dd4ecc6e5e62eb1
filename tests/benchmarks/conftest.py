"""The servers of the benchmark, and a folder for its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from benchmarks.server import Server
from benchmarks.stores import STORES

ServerOf = Callable[[str], Server]


@pytest.fixture(scope="session")
def server_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerOf]:
    """The server of a store, as the benchmark runs it; started when it is first asked for."""
    with ExitStack() as running:

        @cache
        def server_of(store: str) -> Server:
            return running.enter_context(STORES[store].serve(tmp_path_factory.getbasetemp()))

        yield server_of


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLASS_BENCH_DIR", str(tmp_path))
    monkeypatch.delenv("PEERS", raising=False)

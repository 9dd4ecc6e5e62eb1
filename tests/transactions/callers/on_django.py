"""Applications that use Django."""

from __future__ import annotations

from typing import Any

import django  # type: ignore[import-untyped]  # Django brings no types
from django.conf import settings  # type: ignore[import-untyped]
from django.db import connections, transaction  # type: ignore[import-untyped]
from django.db.utils import ConnectionHandler  # type: ignore[import-untyped]
from django.utils.connection import ConnectionProxy  # type: ignore[import-untyped]

from tests.transactions.callers.caller import Caller

_ALIAS = "shop"


class Django(Caller):
    """``connections["shop"]``, through the same proxy as ``django.db.connection``."""

    def __init__(self, database: dict[str, Any], *, autocommit: bool = False) -> None:
        if not settings.configured:
            settings.configure(USE_TZ=True)
            django.setup()
        _set_database(connections, database)
        self._autocommit = autocommit
        self.connection = ConnectionProxy(connections, _ALIAS)
        self._begin()

    def _begin(self) -> None:
        if not self._autocommit:
            self._atomic = transaction.atomic(using=_ALIAS)
            self._atomic.__enter__()

    def _end(self) -> None:
        if not self._autocommit:
            self._atomic.__exit__(None, None, None)

    def execute(self, statement: str) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(statement)

    def commit(self) -> None:
        self._end()
        self._begin()

    def rollback(self) -> None:
        transaction.set_rollback(True, using=_ALIAS)
        self._end()
        self._begin()

    def close(self) -> None:
        connections[_ALIAS].close()
        del connections[_ALIAS]


def _set_database(handler: ConnectionHandler, database: dict[str, Any]) -> None:
    handler.settings = handler.configure_settings({"default": {}, _ALIAS: database})

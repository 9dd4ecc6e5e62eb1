"""Asks the server on a connection that only listens."""

from __future__ import annotations

from psycopg.pq import PipelineStatus
from psycopg.pq.abc import PGconn


class Ping:
    """A bare Sync of the protocol, which begins no transaction and is in no log of statements."""

    def __init__(self, pgconn: PGconn) -> None:
        self._pgconn = pgconn

    @property
    def is_owed(self) -> bool:
        """Whether the answer is outstanding; until it has come the connection takes no statement."""
        return self._pgconn.pipeline_status != PipelineStatus.OFF

    def send(self) -> None:
        if not self.is_owed:
            self._pgconn.enter_pipeline_mode()
            self._pgconn.pipeline_sync()
            self._pgconn.flush()

    def receive(self) -> None:
        """Take the answer, if it is there."""
        if self.is_owed and not self._pgconn.is_busy():
            self._pgconn.get_result()
            self._pgconn.exit_pipeline_mode()

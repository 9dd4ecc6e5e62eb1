"""Log records that a test looks at."""

from __future__ import annotations

import logging

import pytest

from windlass.threads.log_relay import relay

_PATIENCE = 20.0


class Records(pytest.LogCaptureFixture):  # type: ignore[misc]  # final for the eyes of a type checker only
    """Like ``caplog``; waits until what a worker's own threads have logged has come."""

    @property
    def text(self) -> str:
        relay.flush(_PATIENCE)
        return super().text

    @property
    def records(self) -> list[logging.LogRecord]:
        relay.flush(_PATIENCE)
        return super().records

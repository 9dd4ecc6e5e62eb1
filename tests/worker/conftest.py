"""What lies between an app and its store; apps go by the real clock."""

from __future__ import annotations

import pytest

from tests.new_threads import NewThreads
from tests.worker.call_interceptor import CallInterceptor, intercept
from windlass import Windlass


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    """Watches, holds up and spoils the calls of ``app``."""
    return intercept(app)


@pytest.fixture
def new_threads() -> NewThreads:
    """The threads that this test has started."""
    return NewThreads()

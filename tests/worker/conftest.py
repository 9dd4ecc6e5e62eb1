"""What lies between an app and its store; apps go by the real clock."""

from __future__ import annotations

import pytest

from tests.worker.call_interceptor import CallInterceptor, intercept
from windlass import Windlass


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    """Watches, holds up and spoils the calls of ``app``."""
    return intercept(app)

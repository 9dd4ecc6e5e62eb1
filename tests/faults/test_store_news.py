"""News that cannot be sent: a courtesy that failed says nothing to the calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.faults.names import RECORD
from tests.faults.proxy import Proxy
from tests.ledger.apps import Apps
from windlass import State, Windlass
from windlass.store.driver import Topic

pytestmark = pytest.mark.only_on("postgres", "redis")


@pytest.mark.parametrize("begin", [Proxy.refuse, Proxy.swallow], ids=["refused", "swallowed"])
def test_news_that_cannot_be_sent_keeps_no_call_from_the_store(
    app: Windlass, far_app: Apps, proxy: Proxy, begin: Callable[[Proxy], None]
) -> None:
    """G5: the call after it tries the server as if nothing had been."""
    producer = far_app()
    producer.enqueue(RECORD, 1)
    proxy.cut()  # so that the news needs a new connection
    begin(proxy)
    producer._session.tell(Topic.ENDINGS)
    proxy.restore()
    job = producer.enqueue(RECORD, 2)
    assert app.job(job.id).state == State.PENDING

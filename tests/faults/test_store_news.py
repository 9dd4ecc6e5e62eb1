"""News that cannot be sent: a courtesy that failed says nothing to the calls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest

from tests.faults.names import RECORD
from tests.faults.proxy import Proxy
from tests.ledger.apps import Apps
from tests.store.received_topics import ReceivedTopics
from tests.waiting import eventually
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
    producer.client.session.notify(Topic.FINISHED)
    proxy.restore()
    job = producer.enqueue(RECORD, 2)
    assert app.job(job.id).state == State.PENDING


def test_a_connection_that_carries_nothing_any_more_is_doubted_and_left(far_app: Apps, proxy: Proxy) -> None:
    """C4, B10: a network that forgot the connection for notifications says nothing to either side, nor does the system
    while a proxy is there to answer its probes. All that may have been told is looked for, before the connection is
    made anew.
    """
    listener, ear = far_app(), ReceivedTopics()
    listener.enqueue(RECORD, 1)
    with closing(listener.client.driver.listen(ear)) as news:
        ear.begins()
        assert all(map(news.hears, Topic))
        before = len(proxy.attempts)
        proxy.swallow()
        ear.begins()
        assert len(proxy.attempts) == before, "it is looked for although the connection may still come to life"
        assert not any(map(news.hears, Topic))
        proxy.restore()
        ear.begins()
        eventually(lambda: all(map(news.hears, Topic)))
        assert len(proxy.attempts) > before

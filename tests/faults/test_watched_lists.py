"""``--watch`` on a server that goes away: the last picture stays, and Ctrl-C ends it in any case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.cli.terminal import Terminal, terminal_with
from tests.faults.proxy import Proxy
from tests.ledger.apps import Apps
from tests.places.place import ServerPlace

pytestmark = pytest.mark.only_on("postgres", "redis")


@pytest.fixture
def watched(far: ServerPlace, new_app: Apps, proxy: Proxy, tmp_path: Path) -> Iterator[Terminal]:
    """A list with one job, behind the proxy."""
    new_app().enqueue("mail.welcome", 1)
    program = Program(tmp_path, far)
    options = ("--watch", "0.1", "--url", far.url, "--namespace", far.namespace)
    with terminal_with(program, "jobs", "list", *options, columns=200) as terminal:
        terminal.wait_for("mail.welcome")
        yield terminal
        proxy.restore()
    program.app.close(wait=False)


@pytest.mark.varied_on("postgres")
@pytest.mark.parametrize("lose", [Proxy.refuse, Proxy.swallow], ids=["refused", "swallowed"])
def test_the_last_picture_stays_until_the_server_is_back(
    watched: Terminal, proxy: Proxy, lose: Callable[[Proxy], None]
) -> None:
    lose(proxy)
    watched.wait_for("store unavailable since ")
    assert "mail.welcome" in watched.text
    proxy.restore()
    watched.wait_until(lambda shown: "unavailable" not in shown.text and "mail.welcome" in shown.text)


def test_ctrl_c_does_not_wait_for_a_server_that_hangs(watched: Terminal, proxy: Proxy) -> None:
    proxy.swallow()
    watched.type("\x03")
    assert watched.code() == 0
    assert (watched.is_alternate, watched.has_cursor) == (False, True)

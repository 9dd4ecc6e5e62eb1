"""For tests of code that enqueues: run jobs at once, collect them, move the time.

>>> from windlass import Windlass
>>> from windlass.testing import ManualClock, assert_enqueued, drain, inline, manual
>>> app = Windlass("sqlite:///shop.db")
>>> @app.task
... def welcome(user_id: int) -> str:
...     return f"welcome {user_id}"

Inside a block the app works on an empty store of the block's own. Its own store, ``shop.db`` here, is not even opened.

*Inline*: a job runs before ``enqueue`` returns.

>>> with inline(app):
...     job = welcome.enqueue(1)
>>> job.result()
'welcome 1'

*Manual*: jobs are stored, and run when the test says so.

>>> clock = ManualClock()
>>> with manual(app, clock=clock) as jobs:
...     later = welcome.options(delay="10m").enqueue(user_id=2)
...     print(assert_enqueued(app, welcome, 2) == later, drain(app))
...     clock.advance("10m")
...     print(drain(app))
True 0
1
>>> len(jobs)
1

With pytest, the fixture ``windlass_app`` is the app on an empty store, ``windlass_clock`` its clock.

Files, in reading order:

- ``modes``: ``inline`` and ``manual``: jobs run at once, or are collected.
- ``block``: A store of its own for the user's app, as long as a block of a test lasts.
- ``drain``: ``drain``: runs what is ready.
- ``assertion``: ``assert_enqueued``: whether a job was enqueued, and what was enqueued instead.
- ``manual_clock``: A clock that stands still until a test moves it.
- ``runner``: Runs jobs on the calling thread, through the store as a worker does.
- ``transaction``: Jobs of the caller's transactions in a test.
- ``plugin``: Fixtures for pytest; nothing is imported before a test uses one.
"""

from windlass.testing.assertion import assert_enqueued
from windlass.testing.drain import drain
from windlass.testing.manual_clock import ManualClock
from windlass.testing.modes import inline, manual

__all__ = ["ManualClock", "assert_enqueued", "drain", "inline", "manual"]

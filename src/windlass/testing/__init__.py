"""For tests of code that enqueues: run jobs at once, collect them, move the time.

>>> from windlass import Windlass
>>> from windlass.testing import ManualClock, assert_enqueued, drain, inline, manual
>>> clock = ManualClock()
>>> app = Windlass("sqlite:///:memory:", clock=clock)
>>> @app.task
... def welcome(user_id: int) -> str:
...     return f"welcome {user_id}"

*Inline*: a job runs before ``enqueue`` returns.

>>> with inline(app):
...     job = welcome.enqueue(1)
>>> job.result()
'welcome 1'

*Manual*: jobs are stored, and run when the test says so.

>>> with manual(app) as jobs:
...     later = welcome.options(delay="10m").enqueue(user_id=2)
>>> len(jobs), assert_enqueued(app, welcome, 2) == later
(1, True)
>>> drain(app)
0
>>> clock.advance("10m")
>>> drain(app)
1
>>> app.close()

With pytest, the fixture ``windlass_app`` gives an app on an empty store, ``windlass_clock`` the clock it goes by.
"""

from windlass.testing.assertion import assert_enqueued
from windlass.testing.draining import drain
from windlass.testing.manual_clock import ManualClock
from windlass.testing.modes import inline, manual

__all__ = ["ManualClock", "assert_enqueued", "drain", "inline", "manual"]

"""Leases over HTTP: workers in any language claim jobs and say how they ended.

Files, in reading order:

- ``routes``: The routes: claim, extend, progress, complete, fail, discard, release.
- ``shapes``: What they take and give, as types.
- ``long_poll``: Claims jobs, or waits for some; gives them back when the client is gone.
- ``waiting_claims``: Claims that wait: wakes them when the store notifies of jobs in their queues.
- ``leased_job``: A claimed job as its worker gets it.
"""

"""One module for each page: what it reads and shows.

- ``workers/``: Workers: all of them, and one.
- ``store_levels``: What the leader has sampled: how large and how fast the store is, when code was deployed.
- ``queues``: How deep, how old, who serves them; one queue.
- ``tasks``: How often, how long, how much of it fails; one task.
- ``worst``: With which arguments a task is slow, and with which it fails.
- ``limits``: Named limits, concurrency keys, and what cools down.
- ``archive``: Jobs that retention has put aside: find them, look at one, put it back.
- ``system``: The store, the processes around it, all settings; tokens and the audit.
- ``alerts``: What fires and what fired, the rules behind it, and how people are told.
- ``schedules``: What runs next, what ran last; one schedule.
- ``commands``: What the command box finds.
- ``login``: Log in with a password, and out again.
- ``errors``: What went wrong with a request.
"""

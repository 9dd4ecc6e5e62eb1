"""One module for each page: what it reads and shows.

- ``overview``: Is it healthy, and if not, why?
- ``worker_grid``: All workers in a small room: one cell each, by state.
- ``store_levels``: What the leader has sampled: how large and how fast the store is, when code was deployed.
- ``queues``: How deep, how old, who serves them; one queue.
- ``workers``: What each worker does; which were lost.
- ``worker``: One worker: its slots, its last jobs, its stacks.
- ``tasks``: How often, how long, how much of it fails; one task.
- ``limits``: Named limits, concurrency keys, and what cools down.
- ``archive``: Jobs that retention has put aside: find them, look at one, put it back.
- ``system``: The store, the processes around it, all settings; tokens and the audit.
- ``alerts``: What fires and what fired, the rules behind it, and how people are told.
- ``schedules``: What runs next, what ran last; one schedule.
- ``commands``: What the command box finds.
- ``login``: Log in with a password, and out again.
- ``errors``: What went wrong with a request.
"""

"""Where user code runs: threads, an event loop, child processes.

Files, in reading order:

- ``threads``: Plain functions on threads of our own.
- ``user_code``: Where a thread may be interrupted: in user code only.
- ``event_loop/``: Coroutines on an event loop of their own.
- ``processes/``: Functions in child processes: a crash, a leak or a kill harms nothing else.
"""

"""Threads of our own.

Files, in reading order:

- ``start``: Starts a thread; a refusal of the system loses nothing.
- ``in_thread``: Calls a blocking function from async code.
- ``wakeup``: Wakes a thread from anywhere, also from a signal handler.
- ``reentry``: Detects a call into our code from inside itself: signal handlers, finalisers.
- ``log_relay``: Passes log records to a thread of their own, so that no loop waits for a log handler.
- ``store_threads``: The threads on which async callers use the store.
- ``daemon_threads``: Threads for what coroutines hand to ``asyncio.to_thread``.
- ``process_end``: Ends a program although store threads still wait for their store.
"""

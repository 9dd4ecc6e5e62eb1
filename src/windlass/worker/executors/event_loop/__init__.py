"""Coroutines on an event loop of their own.

Files, in reading order:

- ``executor``: Runs coroutines on the loop thread.
- ``loop_thread``: One event loop on its own thread.
- ``block_detector``: Detects that a coroutine blocks the loop, and which.
"""

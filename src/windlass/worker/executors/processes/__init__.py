"""Functions in child processes: a crash, a leak or a kill harms nothing else.

Files, in reading order:

- ``executor``: Runs functions in child processes.
- ``child``: One child process, as its worker sees it.
- ``os_process``: Starts, watches and kills the operating system's process.
- ``outbox``: The worker's end of the pipe to a child; never waits for a child that does not read.
- ``store_calls``: Calls to the store that a run in a child makes through its worker.
- ``recycling``: Replaces a child after so many jobs or above so much memory.
- ``child_side/``: The child's side of the pipe: one job at a time.
"""

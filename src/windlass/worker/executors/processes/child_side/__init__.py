"""The child's side of the pipe: one job at a time.

Files, in reading order:

- ``main``: The entry of a child: takes jobs, runs user code on the main thread, answers.
- ``name``: The name by which a process knows that it is a child of a worker.
- ``inbox``: Jobs that a child holds and has not begun.
- ``messages``: The messages between a worker and its child.
- ``run``: A run inside a child.
- ``piped_store``: The store as a run in a child asks it: through the worker.
- ``shared_memory``: Memory that worker and child share: what runs, since when, what is to stop.
- ``last_output``: A ring buffer in shared memory: the newest output survives a crash of the child.
- ``task_lookup``: Finds a task in a child by the module and name that the worker gave.
- ``reset``: Resets what a job may change for the next: folder, environment, signals.
- ``parent_death``: Ends a child when its worker dies.
"""

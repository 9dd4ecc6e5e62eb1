"""Runs: jobs inside a worker, from claim to ending.

Files, in reading order:

- ``run``: One run of one job.
- ``dispatcher``: Starts runs in order, on all executors, within one number of slots.
- ``run_buffer``: Runs that were claimed and wait for a slot.
- ``slots``: How many runs may be under way, also while the system refuses threads or processes.
- ``attempt``: Turns a claimed job into a call, and the outcome of the call into an ending.
- ``suspects``: The suspect that a worker claimed last; other suspects wait until it has ended.
- ``watchdog``: Stops runs that take too long, asks again, and finally abandons them.
- ``reporting``: Writes the progress that runs report, and events on the timelines of jobs.
- ``logs/``: What jobs log and print, and what a worker logs of its runs.
- ``throttles``: Runs that were throttled: has the store cool down what they name before their endings go there.
- ``trips``: Has the store count failures of tasks that trip, and cool them down.
- ``missing_keys``: Encryption keys that a worker does not have and has claimed jobs for.
- ``unknown_tasks``: Tasks that a worker does not know and has claimed jobs of.
"""

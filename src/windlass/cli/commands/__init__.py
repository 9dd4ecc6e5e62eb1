"""One module for each command.

Files, in reading order:

- ``workers/``: ``windlass worker`` and ``windlass workers``: runs, lists, pauses, stops, forgets.
- ``duties``: ``windlass duties``: upkeep without a worker.
- ``enqueue``: ``windlass enqueue``: makes a job.
- ``jobs``: ``windlass jobs``: lists, shows, cancels, retries, deletes.
- ``flows/``: ``windlass flows``: jobs that belong together.
- ``dead``: ``windlass dead``: jobs that failed for good.
- ``queues``: ``windlass queues``: lists, pauses, configures, empties.
- ``limits``: ``windlass limits``: lists, sets, empties, resumes, deletes.
- ``tasks/``: ``windlass tasks``: the rates of tasks, and what of them cools down.
- ``keys``: ``windlass keys``: concurrency keys that jobs hold, and how many may hold one.
- ``schedules/``: ``windlass schedules``: lists, shows, adds, changes, fires by hand.
- ``status``: ``windlass status``: everything at a glance.
- ``figures/``: ``windlass figures``: counts, times and depths over time.
- ``migrate``: ``windlass migrate``: upgrades the schema.
- ``encryption/``: ``windlass keys generate`` and ``windlass rekey``: encryption keys.
- ``move``: ``windlass move``: from one store to another.
"""

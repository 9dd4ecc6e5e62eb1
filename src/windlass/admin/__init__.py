"""What an operator does to a store: change many jobs, clean up, move.

Files, in reading order:

- ``jobs``: The operator's methods for jobs: look up, count, cancel, fail, retry, purge.
- ``queues``: The operator's methods for queues and named limits, and for what goes through them: overview and figures.
- ``workers``: The operator's methods for workers: list, pause, resume, stop, take lost ones off the lists.
- ``upkeep``: The operator's methods for upkeep by hand: rescue, promote, clean, merge figures, encrypt again, migrate.
- ``handles``: The handles that only operators use: each is imported when it is first asked for.
- ``access``: The operator's methods for the HTTP API: tokens, and the record of who changed what.
- ``alerts``: The operator's methods for alerts: look, acknowledge, resolve, change and silence rules.
- ``requests``: Requests from outside, of the command line and of HTTP, checked against the app's tasks.
- ``diagnostics``: The operator's methods for when something is wrong: diagnose the store, compare it with the
  code, mute causes.
- ``tasks/``: What an operator sets for single tasks.
- ``cleanup/``: Deletes or archives finished jobs that retention no longer keeps, or early where memory or disk run out.
- ``archive``: The handle of the archive: looks at archived jobs, and puts them back.
- ``move``: Copies the jobs of a stopped queue to another store, and compares both.
- ``moved/``: What a move carries over beside jobs.
- ``rekey``: Encrypts anew what is stored under an older key, page by page, beside running workers.
- ``channel_tests``: Tries the channels of alerts by hand.
"""

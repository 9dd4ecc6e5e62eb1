"""Fetches jobs and writes endings.

Files, in reading order:

- ``pump``: The worker's loop: one cycle with the store at a time.
- ``batch``: What one cycle carries to the store.
- ``cycle_client``: Makes cycles, and repeats one whose reply was not received.
- ``intake``: Decides what becomes of a claimed job: a run, or an ending where it cannot run now.
- ``unsent_endings``: Endings that the store has not accepted yet.
- ``written_endings``: What follows once the store has accepted endings: logs, figures, notifications.
- ``capacity``: How many jobs to ask each queue for.
- ``slot_limits``: Caps and reserved slots: which queues may have one more of a worker's slots.
- ``running_limits``: Limits on running jobs as a worker knows them: what they leave, and how much of them is its share.
- ``prefetch``: How fast the jobs of each queue run, and so how many to fetch ahead.
- ``claim_size``: How many jobs and endings one cycle may carry, by their bytes.
- ``queue_rates``: Rates of queues as a worker knows them: when the next token is due.
- ``claim_times``: When the pump asks for jobs again: notified of some, by polling, for room under a limit, for a token.
"""

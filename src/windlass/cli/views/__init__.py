"""What commands print: each view as a table for people and as JSON for programs.

Files, in reading order:

- ``status``: Everything at a glance.
- ``jobs``: Jobs, a line each.
- ``job``: One job with everything about it.
- ``flows/``: Jobs that belong together.
- ``timeline``: The history of a job, and why it is not running.
- ``dead``: Dead letters in groups.
- ``queues``: Queues at a glance, and one with each of its settings.
- ``limits/``: Named limits, concurrency keys, rates of tasks.
- ``schedules``: Schedules at a glance.
- ``schedule``: One schedule in detail, and its next slots.
- ``workers``: Workers at a glance, and one in detail.
- ``message``: A sentence, and the same as values.
- ``sql_text``: SQL that a person may run.
- ``style``: Colours of states.
"""

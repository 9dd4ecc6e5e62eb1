"""What the API takes and gives, as types: the OpenAPI document is made of them.

Values themselves come from ``windlass.insight.json_forms``, as those of the command line do; tests compare both.

Files, in reading order:

- ``jobs``: Jobs, lists of them, and filters.
- ``dead``: Dead letters: changes of many, their groups by cause, and mutes.
- ``flows``: Graphs of jobs that wait for each other.
- ``queues``: Queues and their settings.
- ``workers``: Workers.
- ``limits``: Named limits, and cool-downs.
- ``schedules``: Schedules and their fires.
- ``access``: Tokens, the audit, and sessions.
- ``figures``: Figures over time.
- ``system``: Everything at a glance, tasks, duties.
"""

"""The routes, topic by topic; each module has its handlers and ends with its rows.

Files, in reading order:

- ``health``: Whether the process lives and the store answers, and the OpenAPI document.
- ``overview``: Everything at a glance, the process that answers.
- ``figures``: Figures over time, and the metrics of Prometheus.
- ``jobs/``: Jobs: make, find, look at, change, one or many.
- ``queues``: Queues: look at, pause, set up, empty.
- ``workers``: Workers: look at, pause, resume, stop.
- ``limits``: Named limits: look at, set, empty.
- ``schedules``: Schedules: look at, add, change, run.
- ``access``: Tokens, and the record of who changed what.
- ``session``: Who asks, and sessions of users with passwords.
- ``upkeep``: Duties, once; and events.
"""

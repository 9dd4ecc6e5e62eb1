"""The rows of the table of routes that are pages, their streams and their buttons, by subject.

Files, in reading order:

- ``rows``: The kinds of rows: pages with their streams, buttons, pages with a form, files.
- ``jobs``: Jobs: single ones, failures, many at once, the archive.
- ``queues``: Queues.
- ``workers``: Workers.
- ``limits``: What holds jobs back: limits, rates and keys of tasks, cool-downs.
- ``schedules``: Schedules.
- ``alerts``: Alerts and their rules.
- ``system``: The overview, the system, the command box, logins and static files.
- ``table``: All rows.
"""

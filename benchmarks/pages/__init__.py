"""What the measurement of the dashboard needs.

Files, in reading order:

- ``filling``: A store with many jobs in all states, of several queues and tasks, and the figures of a day.
- ``addresses``: Every page of the dashboard, as addresses in that store.
- ``requests``: How long a server takes to answer each of them.
- ``browser``: How long a real Chromium takes until it shows something of each.
"""

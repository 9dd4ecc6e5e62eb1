"""What a move carries over beside jobs.

- ``edges``: Copies what jobs wait for to another store, and compares both.
- ``schedules``: Copies schedules to another store, where they go on; at the source they are paused.
- ``alerts``: Copies what operators say of alerts, and the history of alerts, to another store.
"""

"""Schedules in the store: what they say, their changes, and the fires of their slots.

Files, in reading order:

- ``definition``: What a schedule says: when it is due, which job it makes, and its policies.
- ``records``: The columns of schedules, of the ledger of fires and of code versions.
- ``changes``: Reads, adds, changes and deletes schedules.
- ``edits``: The changes of a schedule, as pure functions of its record and the time.
- ``steps``: What is to be done about a schedule that is due, step by step.
- ``fire``: Finds the schedules that are due, and fires their slots.
- ``versions``: Which schedules the code declares, version by version, and which of the versions is in force.
"""

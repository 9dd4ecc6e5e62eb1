"""``windlass tasks``: the rates of tasks, and what of them cools down.

- ``group``: Lists, sets, resumes.
"""

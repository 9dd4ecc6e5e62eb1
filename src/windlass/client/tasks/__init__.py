"""The tasks of an app.

Files, in reading order:

- ``registry``: The tasks of an app, by name; also those whose module is not imported yet.
- ``call_shape``: Which calls a task's function takes, so that a wrong one is rejected before it is stored.
- ``declaration``: Rejects functions that cannot be tasks, when they are declared.
"""

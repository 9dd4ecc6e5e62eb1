"""Jobs that belong together.

Files, in reading order:

- ``edges``: Edges: which job waits for which.
- ``inputs``: Puts the results of parents into the calls of claimed jobs that want them.
"""

"""Jobs that belong together: decisions without I/O.

Files, in reading order:

- ``inputs``: Calls that get results of other jobs as arguments.
"""

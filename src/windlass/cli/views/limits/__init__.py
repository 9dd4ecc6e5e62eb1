"""What holds jobs back, as the command line shows it.

Files, in reading order:

- ``limits``: Named limits and cool-downs at a glance.
- ``keys``: Concurrency keys at a glance, and the limits of tasks.
- ``tasks``: Rates of tasks at a glance.
"""

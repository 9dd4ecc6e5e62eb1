"""What holds jobs back, as people see it: limits, concurrency keys, rates of tasks, cool-downs.

Files, in reading order:

- ``limits``: Named limits as people see them.
- ``keys``: Concurrency keys as people see them: the limits of tasks, and the keys that jobs hold.
- ``tasks``: Tasks as operators see them: their rates, and what of them cools down.
- ``cooldowns``: Cool-downs as people see them.
"""

"""Durable steps, as a running job uses them.

Files, in reading order:

- ``calls``: One step that is called: its name, its function, the print of its arguments.
- ``patience``: What a step does when its function raised, or when the store is away.
- ``encrypted``: Steps and events of encrypted jobs: encrypted on their way to the store, opened on their way back.
- ``run_steps``: The steps of one run: what is recorded already, and what is added.
- ``view``: The steps that a job has recorded, as people look at them.
"""

"""``windlass top``: a live view of queues, workers, running jobs and failures.

Files, in reading order:

- ``command``: ``windlass top``: the options, and which of the two forms is shown.
- ``snapshot``: What is shown, read in a few bounded calls.
- ``sections``: Queues, workers, running jobs, failures: their rows, and by what they are sorted.
- ``state``: What the user looks at, and what each key does.
- ``frame``: Draws a snapshot as lines; no terminal here.
- ``lines``: Lines of cells: cut, padded, wrapped; a screen that collects them.
- ``ansi``: A line of cells as the bytes of a terminal.
- ``keys``: The bytes of a terminal as names of keys.
- ``reader``: The thread that asks the store, so that keys answer while the store is slow or away.
- ``terminal``: The terminal: taken, given back on every way out, its signals and its size.
- ``session``: Connects all of them: draws, waits, acts.
"""

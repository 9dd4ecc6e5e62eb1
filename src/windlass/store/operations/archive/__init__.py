"""The store's own archive.

Files, in reading order:

- ``archived``: Reads archived jobs: by time, task, queue and state, or one by its id.
- ``restore``: Puts an archived job back.
"""

"""``windlass dev``: a worker that restarts when code changes.

Files, in reading order:

- ``command``: The command.
- ``file_watcher``: Notices that source files were saved.
"""

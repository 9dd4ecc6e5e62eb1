"""``windlass demo``: a small story on a temporary file, then a live dashboard.

Files, in reading order:

- ``command``: The command.
- ``story``: The acts of the story.
- ``tasks``: The tasks and jobs of the demo, as an application would write them.
- ``screens``: Shows the story: a live table on a terminal, plain lines elsewhere.
- ``report``: The summary: what the store holds, what failed and why, how fast it was.
- ``dashboard``: The end: the address of a dashboard, with jobs flowing until Ctrl-C.
- ``shop``: A small shop whose orders keep jobs flowing.
"""

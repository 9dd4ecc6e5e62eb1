"""Pages about failed jobs: what is failing, since when, and is it one cause?

Files, in reading order:

- ``failures``: All failed jobs, by cause; muting one.
- ``causes``: Failed jobs by cause: few are grouped for a page, many beside the requests.
- ``sums``: The same by task, by queue or by host, each with its largest causes.
- ``cause``: One cause: what it says, when it came, and what its jobs have in common.
"""

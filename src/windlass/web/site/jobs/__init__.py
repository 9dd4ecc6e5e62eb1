"""Pages about jobs: find them, look at one, change one or many.

Files, in reading order:

- ``listing``: Find any job; choose some of them, or all that match.
- ``filters``: The filters of the list, in its address.
- ``arguments``: The arguments of a job by name, secrets masked; in a line where there is little room.
- ``held_queues``: Queues from which nothing is taken, and why, in a few words.
- ``many``: Changes of many jobs: the question before one, and how far it is.
- ``job``: One job: its state, its attempts and errors, its arguments and result, its relatives.
- ``origins``: Which jobs came of which.
- ``tracebacks``: Tracebacks with own code open and libraries folded.
- ``actions``: What can be done to one job: the buttons, and the questions before some of them.
- ``new_job``: The form that makes a job of a known task, or of a job that is there with other arguments.
- ``files``: Arguments and errors of a job as files to keep, secrets masked.
"""

"""Why a job is not running, in one sentence: what keeps it is read by the gates that claims ask, then put into words.

Files, in reading order:

- ``why``: Reads what keeps a job from running, and chooses the sentence by its state.
- ``shut_gates``: What keeps a pending job from being claimed: the sentence of each gate, and the jobs that come first.
- ``scheduled``: Why a job is not due: its time, its cool-down, its sleep, the event that it waits for.
- ``blocked``: What a blocked job waits for: its concurrency key, or a token of its rate.
- ``parents``: Which parents, or members of its group, a blocked job waits for.
- ``running``: Why a job that runs has not ended, and what a run that was abandoned may still do.
- ``duties``: When a job that is due goes on: that takes a process that does duties.
- ``texts``: Numbers, lengths of time and instants in these sentences.
"""

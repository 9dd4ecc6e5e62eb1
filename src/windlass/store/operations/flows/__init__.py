"""Jobs that belong together.

Files, in reading order:

- ``edges``: Edges: which job waits for which.
- ``graph``: Walks along edges: what hangs together with a job, and what lies downstream of it.
- ``ended``: Retention of flows: which jobs belong to a flow of which all has ended.
- ``causes``: Why jobs were cancelled: those upstream that did not complete by themselves.
- ``transfer``: Reads edges out of one store and writes them into another.
- ``groups``: Groups: jobs of which another one, the callback, gets the results when all of them have ended.
- ``inputs``: Puts the results of parents into the calls of claimed jobs that want them.
"""

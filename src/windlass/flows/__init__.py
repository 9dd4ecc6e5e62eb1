"""Jobs that belong together, as users see them.

Files, in reading order:

- ``chain``: Chains: jobs one after the other, each with the result of the one before.
- ``flow``: The handle of jobs that were enqueued together: result, progress, and what can be done to all of them.
- ``dependencies``: Which of the jobs of one enqueue wait for which others, in the call or in the store.
"""

"""Jobs that belong together, as users see them.

Files, in reading order:

- ``link``: What chains and groups are made of: requests, and other chains and groups.
- ``chain``: Chains: jobs one after the other, each with the result of the one before.
- ``group``: Groups: jobs side by side, and a callback that gets their results when all of them have ended.
- ``flow``: The handle of jobs that were enqueued together: result, progress, and what can be done to all of them.
- ``group_flow``: The handle of a group: results, progress, more members, another try for those that failed.
- ``results``: The results of many jobs, in order, as a sequence that is read page by page.
- ``dependencies``: Which of the jobs of one enqueue wait for which others, in the call or in the store.
"""

"""What an app, its handles and its workers share to talk to the store.

Files, in reading order:

- ``client``: One app on one store: the parts that the app, its handles, its workers and the command line share.
- ``owner``: The base of an app: what has a client.
- ``session``: Runs store operations for sync and async callers, and notifies listeners of changes.
- ``handover``: An answer on its way from a store thread to the task that asked for it.
- ``enqueue``: Turns requests into new jobs: fills in defaults, checks, encodes.
- ``routes``: Chooses the queue of a task whose jobs do not name one.
- ``transactions``: The caller's transactions: jobs become part of one, and a running job guards one.
- ``result_waiter``: Waits for results: one query for everyone who waits in this process.
- ``job_fields``: What a job shows of itself: the fields of its record, as users see them.
- ``job_result``: Waits for one job to finish, and turns how it ended into its value or an exception.
- ``job_changes``: Finds, cancels and retries one job by its id.
- ``tasks/``: The tasks of an app: which there are, which functions can be one, which calls one takes.
- ``modules``: Imports modules that are named as text.
- ``hints``: Suggests the option or method that an unknown name may have meant.
- ``config``: Reads settings (argument, environment, ``[tool.windlass]``, default) and who changes something by hand.
"""

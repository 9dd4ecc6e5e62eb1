"""What stores with a server share: pool, circuit breaker, notifier, listener.

Files, in reading order:

- ``pool``: The connections of one process to a server: bounded, first come first served.
- ``circuit_breaker``: Reaches a server that may be away: retries at first, then fails fast.
- ``notifier``: Notifies other processes, rarely enough to cost nothing.
- ``listener``: Listens for notifications on a connection and a thread of its own.
- ``liveness``: Asks a silent connection whether its server still answers.
- ``url_options``: Options in a store URL.
"""

"""Event streams: what keeps pages and programs up to date while they listen.

Files, in reading order:

- ``streams``: All event streams of a server: how many there may be, and how they end.
- ``reader``: Reads again and again for those who listen, and only while there are some.
- ``wakeups``: Those who wait for the same thing, woken together.
- ``response``: An event stream as an answer over HTTP.
- ``event``: One event of the stream of the API, and who wants it.
- ``ring``: The newest events, by number: a client that was away, or is slow, goes on where it was.
- ``feeds``: What has changed since the last reading: one feed for each topic.
- ``allowance``: How many events of a kind are told: some at once, then so many a second.
- ``job_feed``: Jobs that have changed since the last reading.
- ``changes``: The one reader of a store for all who listen to the API.
- ``routes``: The route, and what may be asked of it.
"""

"""Jobs on a Redis or Valkey server.

Files, in reading order:

- ``driver``: The Redis driver: a call is one script.
- ``address``: What a URL of the Redis store says.
- ``connector``: Makes connections to a server that was found and checked.
- ``connection``: One connection: sends a command once and reads its reply; repeats nothing by itself.
- ``routing``: Finds the server that takes writes: fixed address, sentinels, cluster.
- ``server``: Checks a server before it is given jobs: version, persistence, eviction.
- ``scripts``: Lua files: where they are, and what their headings declare.
- ``templates``: Fills the positions of fields into the text of a script.
- ``epoch``: Epochs: fences never repeat, even when a server loses its last second.
- ``errors``: redis-py's exceptions to ours.
- ``news``: Listens for notifications: one connection, a channel for each topic.
- ``overwritten_keys``: Reports our keys that another program has overwritten.
"""

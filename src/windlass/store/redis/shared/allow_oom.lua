-- Lets the call pass when the server is out of memory: it is refused at its first command that may need memory, unless
-- a write that needs none came before. What ends or moves jobs must go on then, because it is the way out; only new
-- jobs have to wait. Needs KEY.counts.
redis.call('PERSIST', KEY.counts)

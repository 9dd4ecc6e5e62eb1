-- Stores what a worker has gathered, unless it has sent a row with this number, or a higher one, before. Of the rows that
-- no leader merges the newest `kept` stay.
-- KEYS figure_rows, figure_sources
-- asks worker, number, data, kept
-- gives added: a row, unless it was sent before
local last = tonumber(redis.call('ZSCORE', KEY.figure_sources, ask.worker))
if last and last >= ask.number then return {'added', {}} end
redis.call('RPUSH', KEY.figure_rows, stamp .. ' ' .. ask.data)
redis.call('ZADD', KEY.figure_sources, written(ask.number), ask.worker)
redis.call('LTRIM', KEY.figure_rows, written(-ask.kept), -1)
return {'added', {{1}}}

-- Writes buckets and removes the rows that went into them, unless buckets were changed since they were read.
-- KEYS figure_rows, figure_state
-- asks revision, grown; merged: the numbers of the rows, which are the oldest; changed: rows (FigureBucket) as bucket
-- gives stale: a row, and nothing else: buckets were changed since
-- with figures
local state = redis.call('HMGET', KEY.figure_state, {state: revision, bytes})
if (tonumber(state.revision) or 0) ~= ask.revision then return {'stale', {{1}}} end
redis.call(
    'HSET', KEY.figure_state, 'revision', written(ask.revision + 1),
    'bytes', written(math.max(0, (tonumber(state.bytes) or 0) + ask.grown)))
redis.call('LTRIM', KEY.figure_rows, #ask.merged, -1)
for _, bucket in ipairs(ask.changed) do
    local at = written(bucket.at)
    redis.call('HSET', figures_key(bucket.step), at, bucket.data)
    redis.call('ZADD', figure_times_key(bucket.step), at, at)
end
return {'merged', {{1}}}

-- Removes of each level (step) the buckets that begin before an instant, `limit` at a time, and what is known of workers
-- that have sent nothing for long.
-- KEYS figure_sources, figure_state
-- asks sources_before, limit; bounds: rows (step, before) as bound
-- gives pruned: a row for each bucket
-- with figures
local pruned, bytes = {}, 0
for _, bound in ipairs(ask.bounds) do
    local before = '(' .. written(bound.before)
    local old = redis.call('ZRANGEBYSCORE', figure_times_key(bound.step), '-inf', before, 'LIMIT', 0, ask.limit)
    for _, at in ipairs(old) do
        bytes = bytes + redis.call('HSTRLEN', figures_key(bound.step), at)
        redis.call('HDEL', figures_key(bound.step), at)
        redis.call('ZREM', figure_times_key(bound.step), at)
        pruned[#pruned + 1] = {1}
    end
end
redis.call('ZREMRANGEBYSCORE', KEY.figure_sources, '-inf', '(' .. written(ask.sources_before))
if #pruned > 0 then
    local state = redis.call('HMGET', KEY.figure_state, {state: revision, bytes})
    redis.call(
        'HSET', KEY.figure_state, 'revision', written((tonumber(state.revision) or 0) + 1),
        'bytes', written(math.max(0, (tonumber(state.bytes) or 0) - bytes)))
end
return {'pruned', pruned}

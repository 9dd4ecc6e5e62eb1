-- Lets go of the cached results of a task, and of those that its waiting and running jobs would make, `limit` at a time: no
-- call is given the result of an earlier one. The jobs themselves stay.
-- KEYS counts, ids, caches
-- asks task, limit
-- gives cleared: a row for each
-- with allow_oom, unique
local cleared = {}
for _, key in ipairs(redis.call('ZRANGE', CACHE.entries(ask.task), 0, ask.limit - 1)) do
    CACHE.remove(key)
    redis.call('DEL', unique_key(key))
    cleared[#cleared + 1] = {1}
end
if redis.call('EXISTS', CACHE.entries(ask.task)) == 0 then
    redis.call('SREM', KEY.caches, ask.task)
    redis.call('DEL', CACHE.bytes(ask.task))
end
return {'cleared', cleared}

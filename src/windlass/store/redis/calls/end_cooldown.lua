-- Ends a cool-down; the next begins as if there had been none. Jobs that wait at a rate which cooled down are looked at anew.
-- KEYS counts, cooldowns, opening
-- asks scope, name
-- gives ended: one row (name), if there was one
-- with allow_oom, cooldowns
redis.call('DEL', COOLDOWNS.key(ask.scope, ask.name))
if redis.call('ZREM', KEY.cooldowns, ask.scope .. ':' .. ask.name) == 0 then return {'ended', {}} end
if ask.scope == 'task' and redis.call('ZSCORE', KEY.opening, ask.name) then
    redis.call('ZADD', KEY.opening, stamp, ask.name)
end
return {'ended', {{ask.name}}}

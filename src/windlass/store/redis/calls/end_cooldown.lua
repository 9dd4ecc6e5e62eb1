-- Ends a cool-down; the next begins as if there had been none.
-- KEYS counts, cooldowns
-- asks scope, name
-- gives ended: one row (name), if there was one
-- with allow_oom, cooldowns
redis.call('DEL', COOLDOWNS.key(ask.scope, ask.name))
if redis.call('ZREM', KEY.cooldowns, ask.scope .. ':' .. ask.name) == 0 then return {'ended', {}} end
return {'ended', {{ask.name}}}

-- Keys of the store whose names fit a pattern: those of a part of all keys of the server, as SCAN gives them.
-- KEYS ids
-- without epoch
-- asks pattern (behind the tag); cursor: where the part begins, '0' at first; slice: about how many keys it has
-- gives keys: rows (name, type, length, ttl), ttl in milliseconds and -1 for none; next: one row (cursor), '0' at the end
local LENGTHS = {string = 'STRLEN', hash = 'HLEN', list = 'LLEN', set = 'SCARD', zset = 'ZCARD'}
-- row (next, names) as part
local part = redis.call('SCAN', ask.cursor, 'MATCH', prefix .. ask.pattern, 'COUNT', ask.slice)
local rows = {}
for _, name in ipairs(part.names) do
    local kind = redis.call('TYPE', name).ok
    local length = LENGTHS[kind] and redis.call(LENGTHS[kind], name) or 0
    rows[#rows + 1] = {string.sub(name, #prefix + 1), kind, length, redis.call('PTTL', name)}
end
return {'keys', rows, 'next', {{part.next}}}

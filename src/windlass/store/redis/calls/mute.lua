-- Mutes a cause, in the place of an earlier mute.
-- KEYS mutes
-- asks cause, by, reason; lasts: null until the next deploy; most: how many there may be
-- gives muted: the mute (MuteRecord), unless there are too many
-- with mutes
local _, over = MUTES.told_apart(redis.call('HVALS', KEY.mutes))
for _, cause in ipairs(over) do redis.call('HDEL', KEY.mutes, cause) end
if redis.call('HEXISTS', KEY.mutes, ask.cause) == 0 and redis.call('HLEN', KEY.mutes) >= ask.most then
    return {'muted', {}}
end
local ends_at = ask.lasts and now + ask.lasts
-- Numbers are written whole, where cjson would round long ones.
local said = cjson.encode({ask.by, ask.reason})
redis.call('HSET', KEY.mutes, ask.cause, string.format(
    '[%s,%s,%s,%s]', cjson.encode(ask.cause), stamp, said:sub(2, -2), ends_at and written(ends_at) or 'null'))
return {'muted', {
    {MuteRecord; cause = ask.cause; muted_at = now; muted_by = ask.by; reason = ask.reason; ends_at = ends_at or false}}}

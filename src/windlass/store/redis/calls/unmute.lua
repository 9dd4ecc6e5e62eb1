-- Ends mutes, or only those that began before an instant.
-- KEYS counts, mutes
-- asks causes; before (or null)
-- gives unmuted: rows (cause) of those that there were; row (MuteRecord) as mute
-- with allow_oom
local rows = {}
for _, cause in ipairs(ask.causes) do
    local entry = redis.call('HGET', KEY.mutes, cause)
    local mute = entry and cjson.decode(entry)
    if mute and (not ask.before or mute.muted_at < ask.before) then
        redis.call('HDEL', KEY.mutes, cause)
        rows[#rows + 1] = {cause}
    end
end
return {'unmuted', rows}

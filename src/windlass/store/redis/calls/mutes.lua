-- The mutes that last, the oldest first.
-- KEYS mutes
-- without epoch
-- gives mutes: rows (MuteRecord) as one/other
-- with mutes
local rows = MUTES.told_apart(redis.call('HVALS', KEY.mutes))
table.sort(rows, function(one, other)
    if one.muted_at ~= other.muted_at then return one.muted_at < other.muted_at end
    return one.cause < other.cause
end)
return {'mutes', rows}

-- What each version of the code declares, in the order in which they were first seen.
-- KEYS code_versions
-- without epoch
-- gives versions: rows (CodeVersion) as one/other; now: one row (now)
-- with code_versions
local rows = {}
local found = redis.call('ZRANGE', KEY.code_versions, 0, -1, 'WITHSCORES')
for index = 1, #found, 2 do
    local stored = redis.call('HMGET', code_version_key(found[index]), {stored: first_seen, declared})
    if stored.declared then
        rows[#rows + 1] = {
            CodeVersion; version = found[index]; first_seen = tonumber(stored.first_seen);
            seen_at = tonumber(found[index + 1]); declared = stored.declared}
    end
end
table.sort(rows, function(one, other)
    if one.first_seen ~= other.first_seen then return one.first_seen < other.first_seen end
    return one.version < other.version
end)
return {'versions', rows, 'now', {{now}}}

-- Says that a process of a version lives. One process of a version writes for all of them.
-- KEYS code_versions
-- asks version, written_after
-- gives kept: a row, or none where the version is not there
-- with code_versions
local seen_at = tonumber(redis.call('ZSCORE', KEY.code_versions, ask.version))
if not seen_at or redis.call('EXISTS', code_version_key(ask.version)) == 0 then return {'kept', {}} end
if seen_at < now - ask.written_after or seen_at > now then redis.call('ZADD', KEY.code_versions, stamp, ask.version) end
return {'kept', {{1}}}

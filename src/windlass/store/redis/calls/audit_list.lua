-- The newest entries, of those with a smaller number than `before`, if there is one.
-- KEYS audit
-- without epoch
-- asks limit; before (or null)
-- gives entries: rows (AuditRecord)
local from = ask.before and '(' .. written(ask.before) or '+inf'
local rows = {}
for index, entry in ipairs(redis.call('ZREVRANGEBYSCORE', KEY.audit, from, '-inf', 'LIMIT', 0, ask.limit)) do
    rows[index] = cjson.decode(entry)
end
return {'entries', rows}

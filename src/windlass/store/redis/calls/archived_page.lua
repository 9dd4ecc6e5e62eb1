-- Archived jobs of an ISO week that match, in no order: about `window` are looked at, or as many as hold `bytes` together.
-- The JSON is not decoded: inside a user's text quotes are escaped, so what is looked for can only be a field of the job.
-- without epoch
-- asks week, window, bytes; cursor, task, queue, state, since, until (each may be null)
-- gives jobs: rows (ArchivedPlace); next: one row (where the next page begins; null after the last)
-- with archive
local wanted = {}
for _, column in ipairs({'task', 'queue', 'state'}) do
    if ask[column] then wanted[#wanted + 1] = '"' .. column .. '":' .. cjson.encode(ask[column]) .. ',' end
end

local function is_in_time(text)
    if not ask.since and not ask['until'] then return true end
    local at = tonumber(string.match(text, '"finished_at":(%d+)'))
    return at and (not ask.since or at >= ask.since) and (not ask['until'] or at < ask['until'])
end

local rows, next = ARCHIVE.walk(ask.week, ask.cursor, ask.window, ask.bytes, function(_, text)
    for _, part in ipairs(wanted) do
        if not string.find(text, part, 1, true) then return false end
    end
    return is_in_time(text)
end)
return {'jobs', rows, 'next', {{next}}}

-- Where the archive of an ISO week has the job with an id. There is no index of ids, so all are looked at, about `window` at
-- a time, or as many as hold `bytes` together. A job's JSON begins with its number and its id.
-- without epoch
-- asks week, id, window, bytes; cursor (or null)
-- gives jobs: rows (ArchivedPlace); next: one row (where the walk goes on; null after the last)
-- with archive
local behind = ',"id":' .. cjson.encode(ask.id) .. ','
local rows, next = ARCHIVE.walk(ask.week, ask.cursor, ask.window, ask.bytes, function(seq, text)
    local start = '{"seq":' .. seq .. behind
    return string.sub(text, 1, #start) == start
end)
return {'jobs', rows, 'next', {{next}}}

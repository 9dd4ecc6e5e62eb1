-- Archived jobs, whole, as they were written.
-- without epoch
-- asks places: rows (week, seq) as place
-- gives jobs: rows (week, seq, the JSON)
-- with archive
local found = {}
for _, place in ipairs(ask.places) do
    local text = redis.call('HGET', ARCHIVE.key(place.week), written(place.seq))
    if text then found[#found + 1] = {place.week, place.seq, text} end
end
return {'jobs', found}

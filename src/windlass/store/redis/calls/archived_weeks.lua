-- Those of the given ISO weeks that have jobs in the archive.
-- without epoch
-- asks weeks
-- gives weeks: rows (week)
local found = {}
for _, week in ipairs(ask.weeks) do
    if redis.call('EXISTS', prefix .. 'archive:' .. week) == 1 then found[#found + 1] = {week} end
end
return {'weeks', found}

-- How many members of a group are in which state; false for those that are gone.
-- without epoch
-- asks seq
-- gives counts: rows (state, number) as one/other; overwritten: see shared/overwritten
-- with overwritten
local PAGE = 500
local counts, gone, first = {}, 0, 0
repeat
    local members = try('LRANGE', prefix .. 'members:' .. written(ask.seq), first, first + PAGE - 1) or {}
    for _, member in ipairs(members) do
        local state = try('HGET', job_key(member), 'state')
        if state then counts[state] = (counts[state] or 0) + 1 else gone = gone + 1 end
    end
    first = first + PAGE
until #members < PAGE
local rows = {}
for state, number in pairs(counts) do rows[#rows + 1] = {state, number} end
table.sort(rows, function(one, other) return one.state < other.state end)
if gone > 0 then rows[#rows + 1] = {false, gone} end
return {'counts', rows, 'overwritten', overwritten}

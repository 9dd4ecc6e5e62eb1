-- The next jobs of one queue in the order in which they would be claimed; takes nothing. Gives how much each holds, not the
-- jobs themselves: they are read by id, as many as one call can carry.
-- KEYS counts, due
-- without epoch
-- asks queue, limit
-- gives jobs: rows (seq, id, size)
-- with chunks, index, state_sets, texts, sizes
local members = {}
local function add(key, place)
    local found = redis.call('ZRANGE', key, 0, ask.limit - 1, 'WITHSCORES')
    for index = 1, #found, 2 do
        members[#members + 1] = {pending_priority(found[index]), place, tonumber(found[index + 1]), found[index]}
    end
end
add(suspects_key(ask.queue), 0)
add(pending_key(ask.queue), 1)
-- A suspect comes before the others of its priority.
table.sort(members, function(one, other)
    if one[1] ~= other[1] then return one[1] > other[1] end
    for part = 2, 4 do
        if one[part] ~= other[part] then return one[part] < other[part] end
    end
    return false
end)

local rows = {}
for index = 1, math.min(#members, ask.limit) do
    local seq = pending_seq(members[index][4])
    local size, job = size_of(seq, 'id')
    if job then rows[#rows + 1] = {tonumber(seq), job[1], size} end
end
return {'jobs', rows}

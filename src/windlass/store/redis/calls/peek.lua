-- The next jobs of one queue in the order in which they would be claimed; takes nothing. Gives how much each holds, not
-- the jobs themselves: they are read by id, as many as one call can carry.
-- KEYS counts, due
-- without epoch
-- asks queue, limit
-- gives jobs: rows (Found)
-- with chunks, index, state_sets, texts, sizes
-- rows (priority, place, score, member) as waiting/one/other, in the order in which jobs are claimed
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
    if one.priority ~= other.priority then return one.priority > other.priority end
    if one.place ~= other.place then return one.place < other.place end
    if one.score ~= other.score then return one.score < other.score end
    return one.member < other.member
end)

local rows = {}
for index = 1, math.min(#members, ask.limit) do
    local waiting = members[index]
    local seq = pending_seq(waiting.member)
    local size, job = size_of(seq, {job: id})
    if job then rows[#rows + 1] = {Found; seq = tonumber(seq); id = job.id; size = size} end
end
return {'jobs', rows}

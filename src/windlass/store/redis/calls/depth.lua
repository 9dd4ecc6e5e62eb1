-- How many jobs each queue has ready, and for how many milliseconds the oldest of them has been waiting.
-- KEYS queues, counts, due
-- without epoch
-- gives depths: rows (Depth); overwritten: see shared/overwritten
-- with chunks, index, state_sets, overwritten

-- The next job of a queue whose score is not smaller, and its score: row (member, score) as found.
local function first_from(key, score)
    local found = try('ZRANGEBYSCORE', key, score, '+inf', 'WITHSCORES', 'LIMIT', 0, 1) or {}
    return found.member, tonumber(found.score)
end

-- Since when a job has been ready.
local function ready_since(member, score)
    if has_turn(score) then return since_of(score) end
    return tonumber(try('HGET', job_key(pending_seq(member)), 'run_at')) or now
end

local rows = {}
for _, queue in ipairs(redis.call('SMEMBERS', KEY.queues)) do
    local oldest, number = math.huge, 0
    for _, key in ipairs({pending_key(queue), suspects_key(queue)}) do
        -- The first of each priority has waited longest among its like.
        local member, score = first_from(key, 0)
        if member then number = number + redis.call('ZCARD', key) end
        while member do
            oldest = math.min(oldest, ready_since(member, score))
            member, score = first_from(key, written((math.floor(score / TURNS) + 1) * TURNS))
        end
    end
    if oldest < math.huge then rows[#rows + 1] = {Depth; queue = queue; ready = number; oldest = now - oldest} end
end
return {'depths', rows, 'overwritten', overwritten}

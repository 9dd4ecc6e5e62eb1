-- How many jobs each queue has ready, and for how many milliseconds the oldest of them has been waiting.
-- KEYS queues, counts, due
-- without epoch
-- gives depths: rows (queue, how many, milliseconds); foreign: see there in shared/
-- with portions, index, places, foreign

-- The next job of a queue whose score is not smaller, and its score.
local function first_from(key, score)
    local found = try('ZRANGEBYSCORE', key, score, '+inf', 'WITHSCORES', 'LIMIT', 0, 1) or {}
    return found[1], tonumber(found[2])
end

-- Since when a job has been ready.
local function ready_since(member, score)
    if has_turn(score) then return since_of(score) end
    return tonumber(try('HGET', job_key(pending_seq(member)), 'run_at')) or now
end

local rows = {}
for _, queue in ipairs(redis.call('SMEMBERS', KEY.queues)) do
    local key, oldest = pending_key(queue), math.huge
    -- The first of each priority has waited longest among its like.
    local member, score = first_from(key, 0)
    while member do
        oldest = math.min(oldest, ready_since(member, score))
        member, score = first_from(key, written((math.floor(score / TURNS) + 1) * TURNS))
    end
    if oldest < math.huge then rows[#rows + 1] = {queue, redis.call('ZCARD', key), now - oldest} end
end
return {'depths', rows, 'foreign', foreign}

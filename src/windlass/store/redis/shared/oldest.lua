-- Since when jobs of a queue have been ready. Needs try, job_key, pending_seq, has_turn, since_of, written.
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

-- Since when the oldest job of a set of pending ones has been ready; nil without one. The first of each priority has
-- waited longest among its like.
local function oldest_in(key)
    local oldest
    local member, score = first_from(key, 0)
    while member do
        oldest = math.min(oldest or math.huge, ready_since(member, score))
        member, score = first_from(key, written((math.floor(score / TURNS) + 1) * TURNS))
    end
    return oldest
end

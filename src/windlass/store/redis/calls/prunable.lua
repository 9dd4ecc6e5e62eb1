-- Finished jobs of one queue and state behind the position (after_at, after_seq) that are older than `age`, or not
-- younger than the position (beyond_at, beyond_seq), the oldest first.
-- KEYS counts, due, ids, edges
-- without epoch
-- asks queue, state, age, beyond_at, beyond_seq, after_at, after_seq, limit
--      flows: 1 for those that wait, or waited, for others, or others for them; 0 for all others
-- gives jobs: rows (Prunable); vanished: rows (VanishedJob) of those whose bodies are gone;
--       overwritten: see shared/overwritten
-- with chunks, index, state_sets, texts, sizes, unique, steps
local LOOKS = 1000
local key = finished_key(ask.state, ask.queue)
local latest = written(math.max(now - ask.age - 1, ask.beyond_at))

local function is_meant(at, seq)
    local is_behind = at > ask.after_at or seq > ask.after_seq
    local is_beyond = at < ask.beyond_at or (at == ask.beyond_at and seq <= ask.beyond_seq)
    return is_behind and (at < now - ask.age or is_beyond)
end

-- How many bytes the steps of a job take, which archives take along; about, where there are many.
local function steps_size(seq)
    local key = steps_key(seq)
    local names, bytes = redis.call('HKEYS', key), 0
    local looks = math.min(#names, LOOKS)
    for index = 1, looks do bytes = bytes + redis.call('HSTRLEN', key, names[index]) end
    return looks == 0 and 0 or math.floor(bytes * #names / looks)
end

local rows, vanished, offset, found = {}, {}, 0, nil
local function visit(seq, at)
    local size, job = size_of(written(seq), {job: id, fence, unique_key, steps})
    if job and CACHE.holds(job.unique_key, job.id) then return end
    if job and redis.call('SISMEMBER', KEY.edges, seq) ~= ask.flows then return end
    if job then
        if job.steps then size = size + steps_size(written(seq)) end
        rows[#rows + 1] = {
            Prunable; seq = seq; id = job.id; size = size; fence = tonumber(job.fence) or 0; finished_at = at}
    else
        vanished[#vanished + 1] = {VanishedJob; seq = seq; queue = ask.queue; was = ask.state}
    end
end

-- Again only if those that finished in the same moment as the last one before fill the page.
repeat
    found = try(
        'ZRANGEBYSCORE', key, written(ask.after_at), latest, 'WITHSCORES', 'LIMIT', offset, ask.limit) or {}
    offset = offset + ask.limit
    for index = 1, #found, 2 do
        local seq, at = finished_seq(found[index]), tonumber(found[index + 1])
        if #rows + #vanished < ask.limit and is_meant(at, seq) then visit(seq, at) end
    end
until #found < 2 * ask.limit or #rows + #vanished == ask.limit
return {'jobs', rows, 'vanished', vanished, 'overwritten', overwritten}

-- Removes jobs that do not run, with their events and indexes; one that runs is its owner's.
-- KEYS counts, due, ids, events, waiting, expiring, gates, awaited, unsettled, edges
-- asks seqs; states: those that both the caller and the table of transitions allow
-- gives deleted: rows (seq)
-- with chunks, texts, allow_oom, index, state_sets, unique, removal, expiry, concurrency, edges
local states = {}
for _, state in ipairs(ask.states) do states[state] = true end

local deleted = {}
for _, number in ipairs(ask.seqs) do
    local seq = written(number)
    local job = redis.call('HMGET', job_key(seq), unpack(EXAMINED))
    if states[job[STATE]] then
        local place = redis.call('HMGET', job_key(seq), {
            place: queue, priority, crashes, rescues, gate, start_by, concurrency_key})
        remove(seq, job)
        if place.start_by then drop_expiry(number) end
        local suspect = is_suspect(place.crashes, place.rescues)
        displace(job[STATE], place.queue, seq, tonumber(place.priority) or 0, suspect, place.gate)
        if place.concurrency_key then free_concurrency_key(place.concurrency_key, seq) end
        deleted[#deleted + 1] = {number}
        ended_jobs[#ended_jobs + 1] = seq
    end
end
settle_removals()
settle_keys()
-- A parent that is gone has not completed.
EDGES.settle()
return {'deleted', deleted}

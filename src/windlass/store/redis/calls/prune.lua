-- Removes finished jobs that are still as they were seen, with all that is told of them: one that was retried meanwhile
-- and has finished anew carries another fence.
-- KEYS counts, due, ids, events, waiting
-- asks state; jobs: rows (seq, fence, id)
-- gives pruned: rows (seq)
-- with portions, texts, drain, index, places, unique, removal
local pruned = {}
for _, row in ipairs(ask.jobs) do
    local seq = written(row[1])
    local job = redis.call('HMGET', job_key(seq), unpack(REMOVED))
    if job[1] == ask.state and (tonumber(job[6]) or 0) == row[2] then
        remove(seq, job)
        pruned[#pruned + 1] = {row[1]}
    end
end
settle_removals()
return {'pruned', pruned}

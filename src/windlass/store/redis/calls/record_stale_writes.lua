-- Writes under an old fence changed nothing; this says so on the jobs they were meant for. A job that still carries the
-- fence was ended by an earlier try of the same write, one that is gone leaves no trace.
-- KEYS counts, events
-- asks writes: rows (seq, fence, what) as write; worker
-- gives refused: rows (seq)
-- with allow_oom, events
local refused = {}
for _, write in ipairs(ask.writes) do
    local seq, fence = write.seq, write.fence
    local job = redis.call('HMGET', job_key(written(seq)), {job: id, fence})
    local is_there, current = job.id, tonumber(job.fence) or 0
    if is_there and current ~= fence then
        note(seq, 'refused', ask.worker, fence, '{"write":' .. json(write.what) .. '}')
    end
    if not is_there or current ~= fence then refused[#refused + 1] = {seq} end
end
return {'refused', refused}

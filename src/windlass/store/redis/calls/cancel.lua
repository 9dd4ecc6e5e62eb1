-- Ends what waits; asks what runs to stop. A running job that is asked already stays as it is.
-- KEYS counts, due, ids, events, waiting
-- asks seqs, by, reason
-- gives cancelled: rows (seq, state) of the jobs that this changed
-- with chunks, allow_oom, index, state_sets, unique, lease, events
local WAITING = {scheduled = true, pending = true, retrying = true, blocked = true}
local detail = string.format('{"by":%s,"reason":%s}', json(ask.by), json(ask.reason))

local cancelled = {}
for _, seq in ipairs(ask.seqs) do
    local key = job_key(written(seq))
    local job = redis.call(
        'HMGET', key, 'state', 'queue', 'priority', 'cancel_requested_at', 'lease', 'fence', 'worker', 'id',
        'unique_key', 'crashes', 'rescues')
    local state, queue, priority, fence, worker = job[1], job[2], tonumber(job[3]) or 0, tonumber(job[6]) or 0, job[7]
    if WAITING[state] then
        note(seq, 'cancelled', worker, fence, detail)
        redis.call('HSET', key, 'state', 'cancelled', 'finished_at', stamp, 'cancel_requested_at', stamp)
        redis.call('HDEL', key, 'reason')
        displace(state, queue, seq, priority, is_suspect(job[10], job[11]))
        place('cancelled', queue, seq, priority, stamp)
        if job[9] then release_key(job[9], job[8]) end
        cancelled[#cancelled + 1] = {seq, 'cancelled'}
    elseif state == 'running' and not job[4] then
        note(seq, 'cancel_requested', worker, fence, detail)
        redis.call('HSET', key, 'cancel_requested_at', stamp)
        redis.call('SADD', cancels_key(job[5]), held_field(seq, fence))
        cancelled[#cancelled + 1] = {seq, 'running'}
    end
end
settle()
return {'cancelled', cancelled}

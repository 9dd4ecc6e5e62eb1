-- Ends what waits; asks what runs to stop. A running job that is asked already stays as it is.
-- KEYS counts, due, ids, events, waiting, expiring, gates, awaited, unsettled
-- asks seqs, by, reason
-- gives cancelled: rows (seq, state) of the jobs that this changed
-- with chunks, allow_oom, index, state_sets, unique, lease, concurrency, events, expiry, edges
local WAITING = {scheduled = true, pending = true, retrying = true, blocked = true}
local detail = string.format('{"by":%s,"reason":%s}', json(ask.by), json(ask.reason))

local cancelled = {}
for _, seq in ipairs(ask.seqs) do
    local key = job_key(written(seq))
    local job = redis.call('HMGET', key, {
        job: state, queue, priority, cancel_requested_at, lease, fence, worker, id, unique_key, crashes, rescues,
        gate, start_by, concurrency_key})
    local state, queue, worker = job.state, job.queue, job.worker
    local priority, fence = tonumber(job.priority) or 0, tonumber(job.fence) or 0
    if WAITING[state] then
        note(seq, 'cancelled', worker, fence, detail)
        redis.call('HSET', key, 'state', 'cancelled', 'finished_at', stamp, 'cancel_requested_at', stamp)
        redis.call('HDEL', key, 'reason', 'gate')
        displace(state, queue, seq, priority, is_suspect(job.crashes, job.rescues), job.gate)
        place('cancelled', queue, seq, priority, stamp)
        if job.concurrency_key then free_concurrency_key(job.concurrency_key, written(seq)) end
        if job.unique_key then release_key(job.unique_key, job.id) end
        if job.start_by then drop_expiry(seq) end
        cancelled[#cancelled + 1] = {seq, 'cancelled'}
    elseif state == 'running' and not job.cancel_requested_at then
        note(seq, 'cancel_requested', worker, fence, detail)
        redis.call('HSET', key, 'cancel_requested_at', stamp)
        redis.call('SADD', cancels_key(job.lease), held_field(seq, fence))
        cancelled[#cancelled + 1] = {seq, 'running'}
    end
end
settle()
settle_keys()
EDGES.settle()
return {'cancelled', cancelled}

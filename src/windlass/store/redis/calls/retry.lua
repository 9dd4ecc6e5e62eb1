-- Runs jobs again by hand, with a fresh budget of attempts; their history of errors stays. The key is not taken again.
-- One that waits for other jobs runs now; one that waits for a key or a rate stays as it is.
-- KEYS counts, due, ids, queues, events, waiting, expiring, edges, awaited, unsettled
-- asks seqs, by, queue (or null for the job's own)
--      delay, gap: in how many milliseconds the first of them is to run, and how many lie between two of them
--      states: those that both the caller and the table of transitions allow
-- gives retried: rows (seq)
--       taken: rows (seq, id) of jobs that stay as they are because another one, id, holds their unique key
-- with chunks, texts, allow_oom, index, state_sets, unique, events, expiry, edges
local states = {}
for _, state in ipairs(ask.states) do states[state] = true end

local retried, taken, parents = {}, {}, {}
for index, number in ipairs(ask.seqs) do
    local seq = written(number)
    local run_at = math.floor(now + ask.delay + (index - 1) * ask.gap)
    local key = job_key(seq)
    local job = redis.call('HMGET', key, {
        job: state, queue, priority, id, unique_key, reason, fence, expires, start_by, started_at, gate})
    local state, queue, priority, id = job.state, job.queue, tonumber(job.priority) or 0, job.id
    if states[state] and (state ~= 'blocked' or job.gate == EDGES.GATE) then
        local holder = job.unique_key and holder_of(job.unique_key)
        if holder and holder ~= id then
            taken[#taken + 1] = {number, holder}
        else
            note(seq, 'retried', nil, tonumber(job.fence) or 0, string.format(
                '{"by":%s,"from":"%s","reason":%s}', json(ask.by), state, json(job.reason)))
            redis.call(
                'HDEL', key, 'reason', 'attempt', 'crashes', 'rescues', 'finished_at', 'cancel_requested_at',
                'unknown_at', 'cause')
            local after = run_at > now and 'scheduled' or 'pending'
            redis.call('HSET', key, 'state', after, 'queue', ask.queue or queue, 'run_at', written(run_at))
            -- One that has never started gets its time anew.
            if job.start_by and not job.started_at then
                move_expiry(number, job.expires, run_at)
            elseif job.start_by then
                redis.call('HDEL', key, 'start_by')
            end
            remove_text('result', seq)
            remove_text('progress', seq)
            if job.gate then
                redis.call('HDEL', key, 'gate')
                EDGES.stop_waiting(seq)
            end
            displace(state, queue, seq, priority, false, job.gate)
            place(after, ask.queue or queue, seq, priority, written(run_at))
            retried[#retried + 1] = {number}
            parents[#parents + 1] = seq
        end
    end
end
settle()
EDGES.revive(parents)
EDGES.watch_again(parents)
-- The other queue, where one was named, exists from now on.
if ask.queue then redis.call('SADD', KEY.queues, ask.queue) end
return {'retried', retried, 'taken', taken}

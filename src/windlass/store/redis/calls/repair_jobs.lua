-- Sets right what check_jobs has found: a job goes where its state says, one that should run and is held by no lease is
-- ready, what waits for nothing is ready, and what runs under a lease that is gone is found by the next rescue.
-- KEYS counts, due, ids, waiting, lease_until, awaited, unsettled, expiring, gates
-- asks found: rows (seq, kind) as one
-- with chunks, allow_oom, index, state_sets, lease, texts, tags, unique, edges
local function set_right(one)
    local seq, kind = one.seq, one.kind
    local key = job_key(written(seq))
    local job = try('HMGET', key, {
        job: id, state, queue, priority, lease, fence, crashes, rescues, gate, finished_at, run_at}) or {}
    if not job.id then return end
    local priority, suspect = tonumber(job.priority) or 0, is_suspect(job.crashes, job.rescues)
    if kind == 'no_id' then
        redis.call('HSETNX', KEY.ids, job.id, written(seq))
    elseif kind == 'no_bit' then
        add_to_index('all', seq)
        if INDEXED[job.state] then add_to_index(job.state, seq) end
    elseif kind == 'no_tag' then
        for tag in each_tag(try('GET', text_key('tags', written(seq))) or '') do
            redis.pcall('ZADD', tag_key(tag), seq, seq)
        end
    elseif kind == 'no_gate' and job.state == 'blocked' and not job.gate then
        redis.call('HSET', key, 'state', 'pending')
        redis.call('HDEL', key, 'reason')
        count('blocked', job.queue, -1)
        place('pending', job.queue, seq, priority, job.run_at or stamp, suspect)
    elseif (kind == 'no_edges' or kind == 'stale_edge' or kind == 'lost_edge') and EDGES.waiting_child(seq) then
        if EDGES.wait_again(written(seq)) == 0 then EDGES.release(written(seq)) end
    elseif kind == 'no_lease' and job.state == 'running' and job.lease and try('EXISTS', lease_key(job.lease)) ~= 1 then
        -- Rescue finds it there at once.
        redis.call('ZADD', KEY.lease_until, '-inf', job.lease)
    elseif kind == 'no_place' then
        local state = job.state
        if state == 'running' then
            if job.lease and redis.call('HEXISTS', held_key(job.lease), held_field(seq, tonumber(job.fence) or 0)) == 1 then
                return
            end
            redis.call('HSET', key, 'state', 'pending', 'lease', '')
            count('running', job.queue, -1)
            state = 'pending'
        else
            -- It is counted where it should be already.
            count(state, job.queue, -1)
        end
        local at = (state == 'pending' or state == 'blocked' or state == 'scheduled' or state == 'retrying')
            and job.run_at or job.finished_at
        place(state, job.queue, seq, priority, at or stamp, suspect, job.gate)
        -- The walk that lets go what was left waiting finds it there.
        if state == 'blocked' and job.gate then redis.call('ZADD', KEY.gates, 0, job.gate) end
    end
end

for _, one in ipairs(ask.found) do set_right(one) end
settle()
return {}

-- Stores new jobs. Needs KEY.ids, KEY.seq, KEY.queues, KEY.counts, KEY.due, KEY.waiting and KEY.expiring.
-- with chunks, texts, index, state_sets, tags, expiry

-- How many jobs wait in a queue, which is what its max_length bounds.
local function queue_length(queue)
    local waiting = 0
    for _, state in ipairs({'pending', 'scheduled', 'retrying', 'blocked'}) do
        waiting = waiting + (tonumber(redis.call('HGET', KEY.counts, state .. ':' .. queue)) or 0)
    end
    return waiting
end

-- What is null, or a number that is zero, is left out: the hash stays small.
local function add(fields, name, value)
    fields[#fields + 1] = name
    fields[#fields + 1] = value
end

-- Writes the jobs, rows (NewJob) as job, with the seqs behind `last`; the state of each by its id. They are counted when
-- the caller settles.
local function store_jobs(jobs, last)
    local long, numbers, states = {}, {}, {}
    for index, job in ipairs(jobs) do
        local id, queue, priority, timeout, key = job.id, job.queue, job.priority, job.timeout, job.unique_key
        local seq = written(last + index)
        local run_at = math.max(now, job.at or now + job.delay)
        local state = job.after and 'blocked' or run_at > now and 'scheduled' or 'pending'
        local fields = {
            'state', state, 'queue', queue, 'id', id, 'task', job.task, 'max_attempts', written(job.max_attempts),
            'run_at', written(run_at), 'created_at', stamp,
            'payload', text_field('payload', seq, job.payload, long),
        }
        if priority ~= 0 then add(fields, 'priority', written(priority)) end
        if timeout then add(fields, 'timeout', written(timeout)) end
        if key then add(fields, 'unique_key', key) end
        if job.concurrency_key then add(fields, 'concurrency_key', job.concurrency_key) end
        if job.rate_key then add(fields, 'rate_key', job.rate_key) end
        if job.after then
            add(fields, 'reason', 'parents')
            add(fields, 'gate', 'parents')
        end
        if job.meta then add_text('meta', seq, job.meta, fields, long) end
        if job.retry then add_text('retry', seq, job.retry, fields, long) end
        if job.expires then
            add(fields, 'expires', written(job.expires))
            local start_by = written((job.at or now + job.delay) + job.expires)
            add(fields, 'start_by', start_by)
            note_expiry(seq, start_by)
        end
        redis.call('HSET', job_key(seq), unpack(fields))
        if job.tags then add_tags(seq, job.tags, job.payload) end
        place(state, queue, seq, priority, run_at, false, 'parents')
        numbers[#numbers + 1] = id
        numbers[#numbers + 1] = seq
        states[id] = state
    end
    write_long(long)
    in_portions(numbers, function(...) redis.call('HSET', KEY.ids, ...) end)
    return states
end

-- A queue with jobs that wait is known. Workers know of them too, or are notified when they may have them; only a worker
-- that finds nothing stops asking, and has to hear of the next one. `begun` is what settle gave.
local function tell_workers(queues, begun)
    local filled = {}
    for _, queue in ipairs(queues) do
        local has_pending = begun['pending:' .. queue]
        if has_pending then filled[#filled + 1] = queue end
        if has_pending or begun['scheduled:' .. queue] then redis.call('SADD', KEY.queues, queue) end
    end
    -- Not with call: a caller that may not publish has enqueued all the same, and workers look by themselves within a
    -- second.
    if #filled > 0 then redis.pcall('PUBLISH', prefix .. 'news:work', #filled == 1 and filled[1] or '') end
end

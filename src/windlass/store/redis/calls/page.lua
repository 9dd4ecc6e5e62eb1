-- A page of jobs, the newest first. At most `window` jobs are looked at, so that a filter that finds little costs no
-- more than one that finds much.
-- KEYS counts, due, queues, lease_until
-- without epoch
-- asks states, queue, task, reason, cause, since, until, finished_before, running_for, text, tag: what is null does not
--      matter
--      meta: rows (as_text, as_json) as wanted, or null; of each row the metadata has to contain one
--      arguments: rows (as_text, by_name, first, later) as given, or null; of each row the payload has to contain one
--      only: failed, cancelled or running, if that is the only state asked for
--      cursor: the seq before which the page begins; limit, window
--      bytes: at how many of them the search for texts ends; then `examined` says that it looked at as many as it may
-- gives jobs: rows (Found); examined: one row (how many were looked at, the seq of the last of them); unsearched: rows
--       (the seq of a job with encrypted texts), where a text or an argument is looked for; overwritten: see shared/overwritten
-- with chunks, scan, state_sets, lease, texts, sizes, tags
local states
if ask.states then
    states = {}
    for _, state in ipairs(ask.states) do states[state] = true end
end

local bytes, unsearched = 0, {}
-- Jobs with encrypted texts, by seq, so that each counts once.
local sealed = {}

local function leave_out(seq)
    if not sealed[seq] then unsearched[#unsearched + 1] = {tonumber(seq)} end
    sealed[seq] = true
end

-- The part of a text that a search reads: nothing of an encrypted one but the line that was added without the key.
local function clear_part(text)
    if not text then return '', false end
    local is_encrypted = string.sub(text, 1, 3) == '~1.' or string.sub(text, 2, 12) == '"v":3,"f":"'
    if not is_encrypted then return text, false end
    local added = string.find(text, '\n', 1, true)
    return added and string.sub(text, added) or '', true
end

local function has_text(seq, job)
    local texts = redis.call('HMGET', job_key(seq), {texts: payload, errors, tags, meta})
    local payload, is_call_sealed = clear_part(whole_text('payload', seq, texts.payload))
    local errors, are_errors_sealed = clear_part(whole_text('errors', seq, texts.errors))
    local meta, is_meta_sealed = clear_part(whole_text('meta', seq, texts.meta))
    if is_call_sealed or are_errors_sealed or is_meta_sealed then leave_out(seq) end
    local whole = job.id .. ' ' .. job.task .. ' ' .. job.queue .. ' ' .. (job.worker or '') .. ' '
        .. (whole_text('tags', seq, texts.tags) or '') .. ' ' .. meta .. ' ' .. payload .. ' ' .. errors
    bytes = bytes + #whole
    return string.find(string.lower(whole), string.lower(ask.text), 1, true) ~= nil
end

local function has_meta(seq)
    local meta = whole_text('meta', seq, redis.call('HGET', job_key(seq), 'meta')) or ''
    bytes = bytes + #meta
    for _, wanted in ipairs(ask.meta) do
        local has_text = string.find(meta, wanted.as_text, 1, true)
        if not (has_text or string.find(meta, wanted.as_json, 1, true)) then return false end
    end
    return true
end

local function has_arguments(seq)
    local whole = whole_text('payload', seq, redis.call('HGET', job_key(seq), 'payload'))
    local payload, is_sealed = clear_part(whole)
    bytes = bytes + #(whole or '')
    if is_sealed then leave_out(seq) end
    local function has(text) return string.find(payload, text, 1, true) end
    for _, given in ipairs(ask.arguments) do
        if not (has(given.as_text) or has(given.by_name) or has(given.first) or has(given.later)) then return false end
    end
    return not is_sealed
end

local function is_wanted(seq)
    local job = try(
        'HMGET', job_key(seq),
        {job: state, queue, task, reason, created_at, finished_at, claimed_at, id, cause, worker}) or {}
    local created_at, finished_at = tonumber(job.created_at) or 0, tonumber(job.finished_at)
    return job.state
        and (not states or states[job.state])
        and (not ask.queue or job.queue == ask.queue)
        and (not ask.task or job.task == ask.task)
        and (not ask.reason or job.reason == ask.reason)
        and (not ask.cause or job.cause == ask.cause)
        and (not ask.since or created_at >= ask.since)
        and (not ask['until'] or created_at < ask['until'])
        and (not ask.finished_before or (finished_at and finished_at < ask.finished_before))
        and (not ask.running_for or now - (tonumber(job.claimed_at) or now) >= ask.running_for)
        and (not ask.meta or has_meta(seq))
        and (not ask.arguments or has_arguments(seq))
        and (not ask.text or has_text(seq, job))
end

-- Where jobs of the wanted states lie, if there are fewer of them than a page looks at; nothing otherwise.
local function few()
    if not states or states.blocked then return end
    local queues, keys, number = {ask.queue}, {}, 0
    if not ask.queue then queues = redis.call('SMEMBERS', KEY.queues) end
    -- row (key, first) as place: where in a member the digits of its seq begin
    local function among(key, first)
        keys[#keys + 1] = {key, first}
        number = number + redis.call('ZCARD', key)
    end
    for _, queue in ipairs(queues) do
        if states.pending then
            among(pending_key(queue), 4)
            among(suspects_key(queue), 4)
        end
        for _, state in ipairs({'completed', 'failed', 'cancelled'}) do
            if states[state] then among(finished_key(state, queue), 1) end
        end
    end
    if states.scheduled or states.retrying then among(KEY.due, 1) end

    local leases = states.running and redis.call('ZRANGE', KEY.lease_until, 0, -1) or {}
    for _, lease in ipairs(leases) do number = number + redis.call('HLEN', held_key(lease)) end
    if number >= ask.window then return end

    local seqs = {}
    for _, place in ipairs(keys) do
        local key, first = place.key, place.first
        for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
            seqs[#seqs + 1] = tonumber(string.sub(member, first, first + 13))
        end
    end
    for _, lease in ipairs(leases) do
        for _, field in ipairs(redis.call('HKEYS', held_key(lease))) do seqs[#seqs + 1] = (held_job(field)) end
    end
    table.sort(seqs, function(one, other) return one > other end)
    return seqs
end

local found, examined, last = {}, 0, false
-- Whether the page is full, or has looked at enough.
local function visit(number)
    local seq = written(number)
    if is_wanted(seq) then
        local size, known = size_of(seq, {known: id})
        found[#found + 1] = {Found; seq = number; id = known.id; size = size}
    end
    examined, last = examined + 1, number
    -- Long texts count as many jobs: no other client is served meanwhile.
    if bytes > ask.bytes then examined = ask.window end
    return #found == ask.limit or examined == ask.window
end

-- The newest jobs that have the tag.
local function tagged()
    local before = ask.cursor < 2 ^ 53 and '(' .. written(ask.cursor) or '+inf'
    local seqs = try('ZREVRANGEBYSCORE', tag_key(ask.tag), before, '-inf', 'LIMIT', 0, ask.window) or {}
    for index, seq in ipairs(seqs) do seqs[index] = tonumber(seq) end
    return seqs
end

local seqs
if ask.tag then seqs = tagged() else seqs = few() end
if seqs then
    for _, seq in ipairs(seqs) do
        if seq < ask.cursor and visit(seq) then break end
    end
else
    -- More jobs run than a page looks at: no set has them in order.
    walk_down(ask.only ~= 'running' and ask.only or 'all', ask.cursor, visit)
end
return {'jobs', found, 'examined', {{examined, last}}, 'unsearched', unsearched, 'overwritten', overwritten}

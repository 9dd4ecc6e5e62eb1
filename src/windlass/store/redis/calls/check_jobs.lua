-- What of these jobs contradicts itself, only read.
-- KEYS counts, due, ids, waiting
-- without epoch
-- asks seqs
-- gives found: rows (seq, kind, detail)
-- with index, state_sets, lease, texts, tags
local found = {}
local OWN_KEYS = {'payload', 'meta', 'retry', 'result', 'errors', 'progress', 'tags', 'attempts'}

local function has_bit(name, seq) return redis.call('GETBIT', bits_key(name, block_of(seq)), seq % BLOCK) == 1 end

local function has_place(job, seq, state)
    if state == 'running' then
        return job.lease and try('HEXISTS', held_key(job.lease), held_field(seq, tonumber(job.fence) or 0)) == 1
    end
    if state == 'blocked' and not job.gate then return true end -- told as no_gate
    local key, member = spot(
        state, job.queue, seq, tonumber(job.priority) or 0, is_suspect(job.crashes, job.rescues), job.gate)
    if try('ZSCORE', key, member) then return true end
    if state == 'completed' then return try('ZSCORE', key, plain_member(seq)) ~= false end
    -- Earlier releases put suspects among the others.
    return state == 'pending' and try('ZSCORE', pending_key(job.queue), member) ~= false
end

local function look_at(seq)
    local key = job_key(written(seq))
    local job = try('HMGET', key, {
        job: id, state, queue, priority, lease, fence, crashes, rescues, gate, finished_at, tags}) or {}
    if not job.id or not job.state or not job.queue then return end
    local function tell(kind, detail) found[#found + 1] = {seq, kind, detail or ''} end
    if not has_place(job, seq, job.state) then tell('no_place', job.state) end
    if job.state == 'running' and job.lease and try('EXISTS', lease_key(job.lease)) ~= 1 then tell('no_lease', job.lease) end
    if job.state == 'blocked' and not job.gate then tell('no_gate') end
    if redis.call('HGET', KEY.ids, job.id) ~= written(seq) then tell('no_id', job.id) end
    if not has_bit('all', seq) then tell('no_bit', 'all') end
    if INDEXED[job.state] and not has_bit(job.state, seq) then tell('no_bit', job.state) end
    for _, what in ipairs(OWN_KEYS) do
        if try('HGET', key, what) == '' and try('EXISTS', text_key(what, written(seq))) ~= 1 then tell('no_text', what) end
    end
    local tags = job.tags and try('GET', text_key('tags', written(seq)))
    for tag in each_tag(tags or '') do
        if not try('ZSCORE', tag_key(tag), written(seq)) then tell('no_tag', tag) end
    end
end

for _, seq in ipairs(ask.seqs) do look_at(seq) end
return {'found', found}

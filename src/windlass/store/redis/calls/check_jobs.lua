-- What of these jobs contradicts itself, only read.
-- KEYS counts, due, ids, waiting, awaited, unsettled, expiring
-- without epoch
-- asks seqs
-- gives found: rows (seq, kind, detail)
-- with index, state_sets, lease, texts, tags, unique, edges
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

-- What is wrong with the edges of a child that waits for its parents. One that waits for a person, as its policy says, is in
-- order, and so is one that promote is to look at.
local function look_at_edges(seq, tell)
    local child = written(seq)
    local parents = try('SMEMBERS', EDGES.awaits_key(child)) or {}
    if #parents == 0 then tell('no_edges', EDGES.GATE) end
    local waits = try('HGET', job_key(child), 'on_parent_failure') == 'wait'
    for _, parent in ipairs(parents) do
        local of = try('HMGET', job_key(parent), {of: id, state}) or {}
        local is_over = not of.state or EDGES.FINAL[of.state]
        if redis.call('SISMEMBER', KEY.unsettled, parent) == 1 then
            -- promote looks at it
        elseif is_over and not (waits and of.state ~= 'completed') then
            tell('stale_edge', of.id or parent)
        elseif not try('ZSCORE', EDGES.children_key(parent), child) or redis.call('SISMEMBER', KEY.awaited, parent) == 0 then
            tell('lost_edge', of.id or parent)
        end
    end
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
    if job.state == 'blocked' and job.gate == EDGES.GATE then look_at_edges(seq, tell) end
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

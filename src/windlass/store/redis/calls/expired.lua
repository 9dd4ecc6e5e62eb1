-- Running jobs behind `after` that no open lease in time covers; a lease that is lost or gone stands at -inf, so it is
-- over.
-- KEYS lease_from, lease_until
-- without epoch
-- asks after: a seq; limit; bytes: at how many the page ends, of errors
-- gives expired: rows (Expired), by seq
--       suspects: rows (StartedSuspect) as suspect, of all leases that are over, whichever page they are on; a claim
--       by hand is none
--       overwritten: see shared/overwritten
-- with lease
local GATHERED = 20000

-- jobs, held: rows (seq, fence, lease) as run/one/other
local leases, jobs, held = {}, {}, {}
local function gather(found)
    for _, lease in ipairs(found) do
        if #held >= GATHERED then return end
        if not leases[lease] then
            leases[lease] = true
            for _, field in ipairs(try('HKEYS', held_key(lease)) or {}) do
                local seq, fence = held_job(field)
                held[#held + 1] = {seq, fence, lease}
                if seq > ask.after then jobs[#jobs + 1] = held[#held] end
            end
        end
    end
end
gather(redis.call('ZRANGEBYSCORE', KEY.lease_until, '-inf', now))
-- The clock has stepped back behind the time at which these began.
gather(redis.call('ZRANGEBYSCORE', KEY.lease_from, '(' .. stamp, '+inf'))
table.sort(jobs, function(one, other) return one.seq < other.seq end)

-- When a lease was last renewed, when it expires, and the job that is held responsible for its loss, if that is known:
-- row (renewed_at, over_at, blamed) as facts.
local known = {}
local function facts_of(lease)
    if not known[lease] then
        local stored = try('HMGET', lease_key(lease), {stored: renewed_at, ttl, blamed}) or {}
        local renewed_at, ttl = tonumber(stored.renewed_at), tonumber(stored.ttl)
        known[lease] = {
            facts; renewed_at = renewed_at; over_at = renewed_at and ttl and renewed_at + ttl or now;
            blamed = tonumber(stored.blamed) or false}
    end
    return known[lease]
end

-- The suspects that had begun; and by lease how many jobs may have begun: a suspect that is not marked has not.
local begun, suspects = {}, {}
for _, run in ipairs(held) do
    local seq, lease = written(run.seq), run.lease
    if not is_manual(lease) then
        local found = try('HMGET', job_key(seq), {found: crashes, rescues, started_at}) or {}
        local is_suspect = (tonumber(found.crashes) or 0) + (tonumber(found.rescues) or 0) > 0
        local started_at = tonumber(found.started_at)
        if started_at or not is_suspect then begun[lease] = (begun[lease] or 0) + 1 end
        if started_at and is_suspect then
            local facts = facts_of(lease)
            -- How long its newest run lasted that died: the last such number in a text of our own.
            local fatal_run = string.match(try('GET', text_key('errors', seq)) or '', '.*"ran_for":([%dnul]+)')
            suspects[#suspects + 1] = {
                suspect; lease = lease; seq = run.seq; ran_for = (facts.renewed_at or 0) - started_at;
                fatal_run = tonumber(fatal_run) or false; has_company = false;
            }
        end
    end
end
for _, suspect in ipairs(suspects) do suspect.has_company = begun[suspect.lease] > 1 and 1 or 0 end

local rows, bytes = {}, 0
for index = 1, math.min(#jobs, ask.limit) do
    if bytes >= ask.bytes then break end
    local seq, fence, lease = unpack(jobs[index])
    local facts = facts_of(lease)
    local job = try('HMGET', job_key(written(seq)), {
        job: attempt, max_attempts, crashes, rescues, unique_key, concurrency_key, started_at, worker}) or {}
    local errors = try('GET', text_key('errors', written(seq))) or false
    bytes = bytes + #(errors or '')
    rows[index] = {
        Expired; seq = seq; fence = fence; attempt = tonumber(job.attempt) or 0;
        max_attempts = tonumber(job.max_attempts) or 0; crashes = tonumber(job.crashes) or 0;
        rescues = tonumber(job.rescues) or 0; errors = errors; unique_key = job.unique_key or false;
        concurrency_key = job.concurrency_key or false;
        -- A manual claim was charged when it was made.
        is_charged = is_manual(lease) and 1 or 0; was_started = job.started_at and 1 or 0;
        lease = lease; worker = job.worker or false;
        ran_for = tonumber(job.started_at) and math.max(0, facts.over_at - job.started_at) or false;
        blamed = facts.blamed;
    }
end
return {'expired', rows, 'suspects', suspects, 'overwritten', overwritten}

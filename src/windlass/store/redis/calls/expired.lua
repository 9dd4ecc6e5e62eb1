-- Running jobs behind `after` that no open lease in time covers; a lease that is lost or gone stands at -inf, so it is
-- over.
-- KEYS lease_from, lease_until
-- without epoch
-- asks after: a seq; limit; bytes: at how many the page ends, of errors
-- gives expired: rows as Expired, by seq
--       suspects: rows as StartedSuspect, of all leases that are over, whichever page they are on; a claim by hand is none
--       foreign: see there in shared/
-- with lease
local GATHERED = 20000

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
table.sort(jobs, function(one, other) return one[1] < other[1] end)

-- When a lease was last renewed, when it is over, and the job that is held responsible for its loss, if that is known.
local known = {}
local function facts(lease)
    if not known[lease] then
        local found = try('HMGET', lease_key(lease), 'renewed_at', 'ttl', 'blamed') or {}
        local renewed_at, ttl = tonumber(found[1]), tonumber(found[2])
        known[lease] = {renewed_at, renewed_at and ttl and renewed_at + ttl or now, tonumber(found[3]) or false}
    end
    return known[lease]
end

-- The suspects that had begun; and by lease how many jobs may have begun: a suspect that is not marked has not.
local begun, suspects = {}, {}
for _, job in ipairs(held) do
    local seq, lease = written(job[1]), job[3]
    if not is_pulled(lease) then
        local found = try('HMGET', job_key(seq), 'crashes', 'rescues', 'started_at') or {}
        local suspect = (tonumber(found[1]) or 0) + (tonumber(found[2]) or 0) > 0
        local started_at = tonumber(found[3])
        if started_at or not suspect then begun[lease] = (begun[lease] or 0) + 1 end
        if started_at and suspect then
            suspects[#suspects + 1] = {
                lease, job[1], (facts(lease)[1] or 0) - started_at,
                -- How long its newest run lasted that died: the last such number in a text of our own.
                tonumber(string.match(try('GET', text_key('errors', seq)) or '', '.*"ran_for":([%dnul]+)')) or false, false,
            }
        end
    end
end
for _, suspect in ipairs(suspects) do suspect[5] = begun[suspect[1]] > 1 and 1 or 0 end

local rows, bytes = {}, 0
for index = 1, math.min(#jobs, ask.limit) do
    if bytes >= ask.bytes then break end
    local seq, fence, lease = unpack(jobs[index])
    local job = try(
        'HMGET', job_key(written(seq)), 'attempt', 'max_attempts', 'crashes', 'rescues', 'unique_key', 'started_at',
        'worker') or {}
    local errors = try('GET', text_key('errors', written(seq))) or false
    bytes = bytes + #(errors or '')
    rows[index] = {
        seq, fence, tonumber(job[1]) or 0, tonumber(job[2]) or 0, tonumber(job[3]) or 0, tonumber(job[4]) or 0,
        errors, job[5] or false,
        -- A claim by hand was charged when it was made.
        is_pulled(lease) and 1 or 0, job[6] and 1 or 0, lease, job[7] or false,
        tonumber(job[6]) and math.max(0, facts(lease)[2] - job[6]) or false, facts(lease)[3],
    }
end
return {'expired', rows, 'suspects', suspects, 'foreign', foreign}

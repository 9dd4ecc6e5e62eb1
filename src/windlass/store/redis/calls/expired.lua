-- Running jobs behind `after` that no open lease in time covers; a lease that is lost or gone stands at -inf, so it is
-- over.
-- KEYS lease_from, lease_until
-- without epoch
-- asks after: a seq; limit; bytes: at how many the page ends, of errors
-- gives expired: rows as Expired, by seq; foreign: see there in shared/
-- with lease
local GATHERED = 20000

local leases, jobs = {}, {}
local function gather(found)
    for _, lease in ipairs(found) do
        if #jobs >= GATHERED then return end
        if not leases[lease] then
            leases[lease] = true
            for _, field in ipairs(try('HKEYS', held_key(lease)) or {}) do
                local seq, fence = held_job(field)
                if seq > ask.after then jobs[#jobs + 1] = {seq, fence, lease} end
            end
        end
    end
end
gather(redis.call('ZRANGEBYSCORE', KEY.lease_until, '-inf', now))
-- The clock has stepped back behind the time at which these began.
gather(redis.call('ZRANGEBYSCORE', KEY.lease_from, '(' .. stamp, '+inf'))
table.sort(jobs, function(one, other) return one[1] < other[1] end)

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
    }
end
return {'expired', rows, 'foreign', foreign}

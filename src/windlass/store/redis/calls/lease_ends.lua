-- When the leases of those of these jobs that run are over.
-- KEYS lease_until
-- without epoch
-- asks jobs: rows (seq) as job
-- gives ends: rows (LeaseEnd)
-- with lease
local ends = {}
for _, job in ipairs(ask.jobs) do
    local found = redis.call('HMGET', job_key(written(job.seq)), {found: state, fence, lease})
    if found.state == 'running' and found.lease then
        local times = redis.call('HMGET', lease_key(found.lease), {times: renewed_at, ttl})
        if times.renewed_at then
            ends[#ends + 1] = {
                LeaseEnd; seq = job.seq; fence = tonumber(found.fence);
                expires_at = tonumber(times.renewed_at) + tonumber(times.ttl);
            }
        end
    end
end
return {'ends', ends}

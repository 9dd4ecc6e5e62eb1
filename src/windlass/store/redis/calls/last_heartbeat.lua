-- When the worker that holds a job was last heard of.
-- without epoch
-- asks seq
-- gives renewed_at: one row (instant), if it runs
-- with lease
local job = redis.call('HMGET', job_key(written(ask.seq)), {job: state, lease})
local renewed_at = job.state == 'running' and redis.call('HGET', lease_key(job.lease), 'renewed_at')
return {'renewed_at', renewed_at and {{tonumber(renewed_at)}} or {}}

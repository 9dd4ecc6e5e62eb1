-- The jobs that a job waits, or waited, for, in the order in which they were named, behind the position `after`.
-- without epoch
-- asks seq, after, limit
-- gives relatives: rows (Relative); overwritten: see shared/overwritten
-- with overwritten
local relatives, seq = {}, written(ask.seq)
local parents = try('LRANGE', prefix .. 'parents:' .. seq, ask.after + 1, ask.after + ask.limit) or {}
for index, parent in ipairs(parents) do
    local job = try('HMGET', job_key(parent), {job: id, task, state}) or {}
    relatives[index] = {
        Relative; place = ask.after + index; seq = tonumber(parent); id = job.id or false; task = job.task or false;
        state = job.state or false; is_open = redis.call('SISMEMBER', prefix .. 'awaits:' .. seq, parent)}
end
return {'relatives', relatives, 'overwritten', overwritten}

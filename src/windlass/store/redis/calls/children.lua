-- The jobs that wait, or waited, for a job, by their numbers, behind the number `after`.
-- without epoch
-- asks seq, after, limit
-- gives relatives: rows (Relative); overwritten: see shared/overwritten
-- with overwritten
local seqs, relatives, parent = {}, {}, written(ask.seq)
for index, child in ipairs(try('ZRANGE', prefix .. 'children:' .. parent, 0, -1) or {}) do seqs[index] = tonumber(child) end
table.sort(seqs)
for _, number in ipairs(seqs) do
    if number > ask.after and #relatives < ask.limit then
        local child = written(number)
        local job = try('HMGET', job_key(child), {job: id, task, state}) or {}
        relatives[#relatives + 1] = {
            Relative; place = number; seq = number; id = job.id or false; task = job.task or false;
            state = job.state or false; is_open = redis.call('SISMEMBER', prefix .. 'awaits:' .. child, parent)}
    end
end
return {'relatives', relatives, 'overwritten', overwritten}

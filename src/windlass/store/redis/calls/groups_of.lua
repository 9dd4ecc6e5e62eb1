-- The groups that a job belongs to, by their callbacks.
-- without epoch
-- asks seq
-- gives groups: rows (Membership); overwritten: see shared/overwritten
-- with overwritten
local groups, seen = {}, {}
for callback in string.gmatch(try('HGET', job_key(written(ask.seq)), 'groups') or '', '(%d+):') do
    local job = try('HMGET', job_key(callback), {job: id, task}) or {}
    if job.id and not seen[callback] then
        seen[callback] = true
        groups[#groups + 1] = {
            Membership; seq = tonumber(callback); callback = job.id; task = job.task;
            size = try('LLEN', prefix .. 'members:' .. callback) or 0}
    end
end
return {'groups', groups, 'overwritten', overwritten}

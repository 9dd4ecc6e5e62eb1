-- The jobs that a job waits, or waited, for, in the order in which they were named, behind the position `after`. Behind them the
-- members of its group, from a place on that no other parent has.
-- without epoch
-- asks seq, after, limit
-- gives relatives: rows (Relative); overwritten: see shared/overwritten
-- with overwritten
local MEMBERS_FROM = 8589934592
local relatives, seq = {}, written(ask.seq)
local function add(list, first, place, is_open)
    for index, parent in ipairs(try('LRANGE', list, first, first + ask.limit - #relatives - 1) or {}) do
        local job = try('HMGET', job_key(parent), {job: id, task, state}) or {}
        relatives[#relatives + 1] = {
            Relative; place = place + index - 1; seq = tonumber(parent); id = job.id or false; task = job.task or false;
            state = job.state or false; is_open = is_open(parent, job.state)}
    end
end

local FINAL = {completed = true, failed = true, cancelled = true}
local first = math.max(ask.after + 1, 0)
if first < MEMBERS_FROM then
    add(prefix .. 'parents:' .. seq, first, first, function(parent)
        return redis.call('SISMEMBER', prefix .. 'awaits:' .. seq, parent)
    end)
end
if #relatives < ask.limit then
    local from = math.max(first - MEMBERS_FROM, 0)
    add(prefix .. 'members:' .. seq, from, MEMBERS_FROM + from, function(_, state)
        return state and not FINAL[state] and 1 or 0
    end)
end
return {'relatives', relatives, 'overwritten', overwritten}

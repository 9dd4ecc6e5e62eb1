-- Failed jobs grouped by what went wrong, the largest group first; at most `window` of the newest are looked at.
-- without epoch
-- asks limit, window; not bytes, for what went wrong is a field of its own
-- gives groups: rows (DeadGroup) as group/one/other
-- with scan
local groups, by_name, examined = {}, {}, 0
local function tally(task, reason, error, at)
    local name = cmsgpack.pack(task, reason, error)
    local group = by_name[name]
    if not group then
        group = {group; task = task; reason = reason; error = error; count = 0; newest = at}
        by_name[name], groups[#groups + 1] = group, group
    end
    group.count, group.newest = group.count + 1, math.max(group.newest, at)
end
walk_down('failed', math.huge, function(seq)
    local job = redis.call('HMGET', job_key(written(seq)), {job: task, reason, error, finished_at})
    -- One whose body is gone is in no group.
    if job.task then tally(job.task, job.reason, job.error ~= '' and job.error, tonumber(job.finished_at) or 0) end
    examined = examined + 1
    return examined == ask.window
end)
table.sort(groups, function(one, other)
    if one.count ~= other.count then return one.count > other.count end
    for column = {DeadGroup.task}, {DeadGroup.error} do
        local first, second = one[column] or '', other[column] or ''
        if first ~= second then return first < second end
    end
    return false
end)
for index = #groups, ask.limit + 1, -1 do groups[index] = nil end
return {'groups', groups}

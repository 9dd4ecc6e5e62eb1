-- Failed jobs grouped by what went wrong, the largest group first; at most `window` of the newest are looked at.
-- without epoch
-- asks limit, window; not bytes, for what went wrong is a field of its own
-- gives groups: rows (task, reason, error, how many, when the newest of them finished)
-- with scan
local groups, by_name, looked = {}, {}, 0
local function tally(task, reason, error, at)
    local name = cmsgpack.pack(task, reason, error)
    local group = by_name[name]
    if not group then
        group = {task, reason, error, 0, at}
        by_name[name], groups[#groups + 1] = group, group
    end
    group[4], group[5] = group[4] + 1, math.max(group[5], at)
end
walk_down('failed', math.huge, function(seq)
    local job = redis.call('HMGET', job_key(written(seq)), 'task', 'reason', 'error', 'finished_at')
    -- One whose body is gone is in no group.
    if job[1] then tally(job[1], job[2], job[3] ~= '' and job[3], tonumber(job[4]) or 0) end
    looked = looked + 1
    return looked == ask.window
end)
table.sort(groups, function(one, other)
    if one[4] ~= other[4] then return one[4] > other[4] end
    for column = 1, 3 do
        local first, second = one[column] or '', other[column] or ''
        if first ~= second then return first < second end
    end
    return false
end)
for index = #groups, ask.limit + 1, -1 do groups[index] = nil end
return {'groups', groups}

-- Failed jobs below the cursor grouped by what went wrong, the newest first; at most `window` are looked at.
-- without epoch
-- asks cursor, window, recent (for how long a failure is recent), steps (how many of that length are told apart), by
--      (queue or worker, if the groups are to be told apart by that); not bytes, for what went wrong is a field
-- gives groups: rows (DeadGroup) as group; examined: one row (how many were looked at, the seq of the last of them, 1 if
--       there may be more)
-- with scan
local groups, by_name, ages, examined, last = {}, {}, {}, 0, false
local function tally(seq, job)
    local error = not job.cause and job.error ~= '' and job.error
    local at = tonumber(job.finished_at) or 0
    local part = ask.by == 'queue' and job.queue or ask.by == 'worker' and job.worker or false
    local name = cmsgpack.pack(job.task, job.reason, error, job.cause, part)
    local group = by_name[name]
    if not group then
        group = {group; task = job.task; reason = job.reason; error = error; count = 0; newest = at; cause = job.cause;
            oldest = at; recent = 0; sample = string.format('%019d', seq) .. job.id; ages = '';
            part = part}
        by_name[name], groups[#groups + 1] = group, group
    end
    group.count = group.count + 1
    group.newest, group.oldest = math.max(group.newest, at), math.min(group.oldest, at)
    if at > now - ask.recent then group.recent = group.recent + 1 end
    if at > now - ask.recent * ask.steps then
        local age = math.floor(math.max(0, now - at) / ask.recent)
        ages[group] = ages[group] or {}
        table.insert(ages[group], string.format('%d', age))
    end
end
walk_down('failed', ask.cursor, function(seq)
    local job = redis.call('HMGET', job_key(written(seq)), {job: task, reason, error, finished_at, cause, id, queue, worker})
    -- One whose body is gone is in no group.
    if job.task and job.id then tally(seq, job) end
    examined, last = examined + 1, seq
    return examined == ask.window
end)
for group, written_ages in pairs(ages) do group.ages = table.concat(written_ages, ',') end
return {'groups', groups, 'examined', {{examined, last, examined == ask.window and 1 or 0}}}

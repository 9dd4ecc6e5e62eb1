-- Jobs that were made after `after`, run, have ended since `since`, or are watched, without their texts; and what time it is.
-- KEYS counts, due, lease_until, waiting
-- without epoch
-- asks after, since; watched: seqs; most: how many of the newest that were made; most_ended: the same of those that ended,
--      for each queue and state; most_running
-- gives jobs: rows (Sighting); clock: one row (now, the seq of the newest job or null); overwritten: see shared/overwritten
-- with scan, state_sets, lease
local rows = {}

local function look(part, seq)
    local job = try('HMGET', job_key(seq), {
        job: id, task, queue, state, reason, fence, attempt, max_attempts, worker, created_at, started_at, finished_at}) or {}
    if job.id and job.state then
        rows[#rows + 1] = {Sighting; part = part; seq = tonumber(seq); id = job.id; task = job.task; queue = job.queue;
            state = job.state; reason = job.reason; fence = tonumber(job.fence) or 0; attempt = tonumber(job.attempt) or 0;
            max_attempts = tonumber(job.max_attempts) or 0; worker = job.worker; created_at = tonumber(job.created_at) or 0;
            started_at = tonumber(job.started_at) or false; finished_at = tonumber(job.finished_at) or false}
    end
end

local newest, made = false, 0
walk_down('all', 2 ^ 53, function(seq)
    newest = newest or seq
    if seq <= ask.after or made >= ask.most then return true end
    made = made + 1
    look('created', written(seq))
end)

local running = 0
for _, lease in ipairs(redis.call('ZRANGE', KEY.lease_until, 0, -1)) do
    if running >= ask.most_running then break end
    for _, field in ipairs(try('HKEYS', held_key(lease)) or {}) do
        if running >= ask.most_running then break end
        running = running + 1
        look('running', written((held_job(field))))
    end
end

local counts = redis.call('HGETALL', KEY.counts)
for index = 1, #counts, 2 do
    local state, queue = string.match(counts[index], '^(%l+):(.*)$')
    if (state == 'completed' or state == 'failed' or state == 'cancelled') and tonumber(counts[index + 1]) > 0 then
        local members = try(
            'ZREVRANGEBYSCORE', finished_key(state, queue), '+inf', written(ask.since), 'LIMIT', 0, ask.most_ended)
        for _, member in ipairs(members or {}) do look('ended', written(finished_seq(member))) end
    end
end

for _, seq in ipairs(ask.watched) do look('watched', written(seq)) end
return {'jobs', rows, 'clock', {{now, newest}}, 'overwritten', overwritten}

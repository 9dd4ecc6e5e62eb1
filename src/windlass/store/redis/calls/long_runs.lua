-- Running jobs that have run for `age` milliseconds or longer, the longest first; of the first 10,000 runs.
-- KEYS lease_until
-- without epoch
-- asks age, limit
-- gives runs: rows (LongRun) as one/other
-- with lease
local MOST = 10000
local runs, examined = {}, 0

local function look_at(field)
    local seq, fence = held_job(field)
    local job = seq and try('HMGET', job_key(written(seq)), {
        job: id, task, queue, worker, started_at, claimed_at, fence}) or {}
    local began = tonumber(job.started_at) or tonumber(job.claimed_at)
    if job.id and began and tonumber(job.fence) == fence and now - began >= ask.age then
        runs[#runs + 1] = {LongRun; id = job.id; task = job.task; queue = job.queue; worker = job.worker;
            ran_for = now - began}
    end
    examined = examined + 1
end

for _, lease in ipairs(redis.call('ZRANGE', KEY.lease_until, 0, -1)) do
    if examined >= MOST then break end
    for _, field in ipairs(try('HKEYS', held_key(lease)) or {}) do look_at(field) end
end
table.sort(runs, function(one, other)
    if one.ran_for ~= other.ran_for then return one.ran_for > other.ran_for end
    return one.id < other.id
end)
for index = #runs, ask.limit + 1, -1 do runs[index] = nil end
return {'runs', runs}

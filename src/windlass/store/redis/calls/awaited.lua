-- Those of many awaited jobs that are finished, and those that are not there at all (no state).
-- KEYS ids
-- without epoch
-- asks ids
-- gives jobs: rows (id, state, reason, result, errors, task)
-- with portions, texts
local FINISHED = {completed = true, failed = true, cancelled = true}
local rows = {}
for index, seq in ipairs(read_all('HMGET', KEY.ids, ask.ids)) do
    local job = seq and redis.call('HMGET', job_key(seq), 'state', 'reason', 'task', 'result', 'errors')
    if not job or not job[1] then
        rows[#rows + 1] = {ask.ids[index], false, false, false, false, false}
    elseif FINISHED[job[1]] then
        local result, errors = whole_text('result', seq, job[4]), whole_text('errors', seq, job[5])
        rows[#rows + 1] = {ask.ids[index], job[1], job[2], result, errors, job[3]}
    end
end
return {'jobs', rows}

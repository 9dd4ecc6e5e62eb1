-- Those of many awaited jobs that are finished, and those that are not there at all (no state); the first of them, if
-- their texts are long.
-- KEYS ids
-- without epoch
-- asks ids, bytes: at how many the answer ends
-- gives jobs: rows (id, state, reason, result, errors, task)
-- with chunks, texts
local FINISHED = {completed = true, failed = true, cancelled = true}
local rows, bytes = {}, 0
for index, seq in ipairs(read_all('HMGET', KEY.ids, ask.ids)) do
    if bytes >= ask.bytes then break end
    local job = seq and redis.call('HMGET', job_key(seq), 'state', 'reason', 'task', 'result', 'errors')
    if not job or not job[1] then
        rows[#rows + 1] = {ask.ids[index], false, false, false, false, false}
    elseif FINISHED[job[1]] then
        local result, errors = whole_text('result', seq, job[4]), whole_text('errors', seq, job[5])
        rows[#rows + 1] = {ask.ids[index], job[1], job[2], result, errors, job[3]}
        bytes = bytes + #(result or '') + #(errors or '')
    end
end
return {'jobs', rows}

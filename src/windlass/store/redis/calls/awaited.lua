-- Those of many awaited jobs that are finished, and those that are not there at all (no state); the first of them, if
-- their texts are long.
-- KEYS ids
-- without epoch
-- asks ids, bytes: at how many the answer ends
-- gives jobs: rows (FinishedJob)
-- with chunks, texts
local FINISHED = {completed = true, failed = true, cancelled = true}
local rows, bytes = {}, 0
for index, seq in ipairs(read_all('HMGET', KEY.ids, ask.ids)) do
    if bytes >= ask.bytes then break end
    local job = seq and redis.call('HMGET', job_key(seq), {job: state, reason, task, result, errors})
    if not job or not job.state then
        rows[#rows + 1] = {
            FinishedJob; id = ask.ids[index]; state = false; reason = false; result = false; errors = false;
            task = false}
    elseif FINISHED[job.state] then
        local result, errors = whole_text('result', seq, job.result), whole_text('errors', seq, job.errors)
        rows[#rows + 1] = {
            FinishedJob; id = ask.ids[index]; state = job.state; reason = job.reason; result = result; errors = errors;
            task = job.task}
        bytes = bytes + #(result or '') + #(errors or '')
    end
end
return {'jobs', rows}

-- What it means that a run or a job is over. Needs texts and unique.
-- with overwritten
local FINISHED = {completed = true, failed = true, cancelled = true}
local ENDED = {completed = true, failed = true, cancelled = true, retrying = true, scheduled = true, pending = true}

-- An error for an ending that is none, or nothing. To be asked before the first write: a script is not rolled back.
local function refusal(endings)
    for _, ending in ipairs(endings) do
        if not ENDED[ending[3]] then return redis.error_reply('REFUSED no run ends as ' .. ending[3]) end
    end
end

-- The unique keys of jobs that have finished, or begun a run, under the fence that fence_now makes of the one they had.
-- keys: rows (key, seq, fence)
local function release_keys(keys, fence_now)
    for _, row in ipairs(keys) do
        local job = try('HMGET', job_key(row[2]), 'id', 'state', 'fence', 'attempt', 'started_at') or {}
        local is_finished, is_started = FINISHED[job[2]], has_started(job[2], job[4], job[5])
        if tonumber(job[3]) == fence_now(row[3]) and (is_finished or is_started) then
            release_key(row[1], job[1], not is_finished)
        end
        if not job[1] then forget_key(row[1], row[2]) end
    end
end

-- What was raised last, read off the text that holds all errors of a job, so that groups of dead letters need not read
-- them all. The text is ours, and no text inside a JSON string can look like this key.
local function newest_error(errors) return string.match(errors, '^.*"type":"([^"\\]*)"') end

local function keep_errors(seq, errors)
    set_long_text('errors', seq, errors)
    redis.call('HSET', job_key(seq), 'error', newest_error(errors) or '')
end

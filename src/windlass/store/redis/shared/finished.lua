-- What the end of a run or a job changes. Needs texts and unique.
-- with overwritten
local FINISHED = {completed = true, failed = true, cancelled = true}
local ENDED = {completed = true, failed = true, cancelled = true, retrying = true, scheduled = true, pending = true}

-- An error for an ending that is none, or nothing. To be asked before the first write: a script is not rolled back.
-- endings: rows (Ending) as ending, and any fields behind them
local function refusal(endings)
    for _, ending in ipairs(endings) do
        if not ENDED[ending.state] then return redis.error_reply('REFUSED no run ends as ' .. ending.state) end
    end
end

-- The unique keys of jobs that have finished, or begun a run, under the fence that fence_now makes of the one they had.
-- keys: rows (key, seq, fence) as held
local function release_keys(keys, fence_now)
    for _, held in ipairs(keys) do
        local job = try('HMGET', job_key(held.seq), {job: id, state, fence, attempt, started_at}) or {}
        local is_finished, is_started = FINISHED[job.state], has_started(job.state, job.attempt, job.started_at)
        if tonumber(job.fence) == fence_now(held.fence) and (is_finished or is_started) then
            local is_cached = job.state == 'completed' and CACHE.keep(held.key, job.id, held.seq)
            if not is_cached then release_key(held.key, job.id, not is_finished) end
        end
        if not job.id then forget_key(held.key, held.seq) end
    end
end

-- What was raised last, read off the text that holds all errors of a job, so that groups of dead letters need not read
-- them all. The text is ours, and no text inside a JSON string can look like this key.
local function newest_error(errors) return string.match(errors, '^.*"type":"([^"\\]*)"') end

local function keep_errors(seq, errors)
    set_long_text('errors', seq, errors)
    redis.call('HSET', job_key(seq), 'error', newest_error(errors) or '')
end

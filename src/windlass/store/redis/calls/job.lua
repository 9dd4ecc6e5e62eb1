-- Jobs by id, with everything that is known of them.
-- KEYS ids
-- asks ids
-- gives jobs: rows as JobRecord
-- with portions
local NUMBERS = {
    priority = 0, attempt = 0, max_attempts = 0, crashes = 0, rescues = 0, fence = 0, run_at = 0, created_at = 0,
    promoted_at = false, claimed_at = false, started_at = false, finished_at = false, timeout = false,
    cancel_requested_at = false, unknown_at = false,
}
local TEXTS = {payload = '', meta = false, progress = false, result = false, errors = false, retry = false}
local COLUMNS = {
    'id', 'task', 'queue', 'state', 'reason', 'priority', 'payload', 'meta', 'attempt', 'max_attempts', 'crashes',
    'rescues', 'run_at', 'created_at', 'promoted_at', 'claimed_at', 'started_at', 'finished_at', 'timeout', 'fence',
    'lease', 'worker', 'cancel_requested_at', 'unique_key', 'progress', 'result', 'errors', 'retry', 'unknown_at',
}

local function record(seq)
    local fields, job = redis.call('HGETALL', job_key(seq)), {}
    for index = 1, #fields, 2 do job[fields[index]] = fields[index + 1] end
    local row = {tonumber(seq)}
    for _, column in ipairs(COLUMNS) do
        local value = job[column] or false
        if NUMBERS[column] ~= nil then
            value = tonumber(value) or NUMBERS[column]
        elseif TEXTS[column] ~= nil then
            value = redis.call('GET', text_key(column, seq)) or TEXTS[column]
        end
        row[#row + 1] = value
    end
    return row
end

local jobs = {}
for _, seq in ipairs(read_all('HMGET', KEY.ids, ask.ids)) do
    if seq then jobs[#jobs + 1] = record(seq) end
end
return {'jobs', jobs}

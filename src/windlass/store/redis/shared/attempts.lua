-- The attempts of a job that ended without completing it, JSON text of our own (core/fault/attempts.py): how many were left
-- out, then the first and the newest 19. Needs texts and lease.
-- with overwritten
local ATTEMPTS_KEPT = 20

local function json_number(value) return tonumber(value) and written(tonumber(value)) or 'null' end
local function json_text(value) return type(value) == 'string' and cjson.encode(value) or 'null' end

-- row (fence, number, claimed_at, started_at, ended_at, worker, outcome, reason, delay) as attempt, as JSON; the numbers
-- are written whole, where cjson would round long ones.
local function attempt_json(attempt)
    return '[' .. table.concat({
        json_number(attempt.fence), json_number(attempt.number), json_number(attempt.claimed_at),
        json_number(attempt.started_at), json_number(attempt.ended_at), json_text(attempt.worker),
        json_text(attempt.outcome), json_text(attempt.reason), json_number(attempt.delay)}, ',') .. ']'
end

-- Those that are kept already as texts, and how many were left out, from row (left_out) as kept, behind which they
-- stand. What cannot be read is begun anew.
local function attempts_kept(text)
    local is_read, kept = pcall(cjson.decode, text or '')
    if not is_read or type(kept) ~= 'table' then return {}, 0 end
    local texts = {}
    for index = 2, #kept do
        local attempt = kept[index]
        if type(attempt) ~= 'table' then return {}, 0 end
        texts[#texts + 1] = attempt_json(attempt)
    end
    return texts, tonumber(kept.left_out) or 0
end

-- Adds the run that ends: given are its fence, number, started_at, outcome, reason and delay.
local function keep_attempt(seq, given)
    local job = redis.call('HMGET', job_key(seq), {job: claimed_at, worker, attempts})
    local text = job.attempts == '' and try('GET', text_key('attempts', seq)) or job.attempts
    local texts, left_out = attempts_kept(text)
    if #texts >= ATTEMPTS_KEPT then
        table.remove(texts, 2)
        left_out = left_out + 1
    end
    texts[#texts + 1] = attempt_json({
        attempt; fence = given.fence; number = given.number; claimed_at = job.claimed_at;
        started_at = given.started_at; ended_at = now; worker = job.worker; outcome = given.outcome;
        reason = given.reason; delay = given.delay})
    set_long_text('attempts', seq, '[' .. written(left_out) .. ',' .. table.concat(texts, ',') .. ']')
end

-- The number of a run: a manual claim was charged when it was made.
local function run_number(lease, attempt) return (tonumber(attempt) or 0) + (is_manual(lease) and 0 or 1) end

-- Jobs that are among the holders of a concurrency key and hold nothing, and those that run with it and are not. Needs
-- concurrency.
local KEY_DRIFT = {holds = {pending = true, running = true}}

-- Jobs that vanished, that ended, or that have another key by now: seqs.
function KEY_DRIFT.wrong_holders(key)
    local wrong = {}
    for _, seq in ipairs(try('SMEMBERS', holders_key(key)) or {}) do
        local job = try('HMGET', job_key(seq), {job: state, concurrency_key}) or {}
        if not KEY_DRIFT.holds[job.state] or job.concurrency_key ~= key then wrong[#wrong + 1] = seq end
    end
    return wrong
end

-- runs: seqs of the runs that the leases have with the key.
function KEY_DRIFT.missing_holders(key, runs)
    local missing = {}
    for _, seq in ipairs(runs) do
        if try('SISMEMBER', holders_key(key), seq) == 0 then missing[#missing + 1] = seq end
    end
    return missing
end

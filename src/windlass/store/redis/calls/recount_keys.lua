-- Sets the holders of these concurrency keys right, and lets go the jobs that may hold them then; those that were wrong.
-- KEYS counts, due, waiting, gates, lease_until, lease_from
-- asks keys: rows (name) as one
-- gives drifted: rows (KeyDrift); overwritten: see shared/overwritten
-- with chunks, allow_oom, index, state_sets, overwritten, concurrency, lease, key_runs, key_drift
local rows, runs = {}, runs_by_key()
for _, one in ipairs(ask.keys) do
    local key = one.name
    local counted = try('SCARD', holders_key(key)) or 0
    local wrong, missing = KEY_DRIFT.wrong_holders(key), KEY_DRIFT.missing_holders(key, runs[key] or {})
    for _, seq in ipairs(wrong) do redis.call('SREM', holders_key(key), seq) end
    for _, seq in ipairs(missing) do redis.call('SADD', holders_key(key), seq) end
    if #wrong + #missing > 0 then
        rows[#rows + 1] = {KeyDrift; name = key; counted = counted; held = counted - #wrong + #missing}
        unblock(key)
    end
end
settle(try)
return {'drifted', rows, 'overwritten', overwritten}

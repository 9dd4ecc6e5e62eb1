-- The concurrency keys of running jobs whose holders are not those that hold them, at most `limit`, rows (KeyDrift). Keys that
-- jobs wait for are looked at by `unblock`.
-- KEYS counts, due, waiting, gates, lease_until, lease_from
-- without epoch
-- asks limit
-- gives drifted: rows (KeyDrift)
-- with chunks, index, state_sets, overwritten, concurrency, lease, key_runs, key_drift
local rows = {}
for key, runs in pairs(runs_by_key()) do
    local wrong, missing = #KEY_DRIFT.wrong_holders(key), #KEY_DRIFT.missing_holders(key, runs)
    if wrong + missing > 0 and #rows < ask.limit then
        local counted = try('SCARD', holders_key(key)) or 0
        rows[#rows + 1] = {KeyDrift; name = key; counted = counted; held = counted - wrong + missing}
    end
end
return {'drifted', rows}

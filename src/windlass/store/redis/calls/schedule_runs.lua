-- The newest `limit` rows of the ledger of fires of each of the schedules `names`, the newest first, with the state of the
-- job that was made; none where there was no job, or it is gone.
-- KEYS ids
-- without epoch
-- asks names, limit
-- gives runs: rows (ScheduleRun)
-- with schedules, overwritten
local rows = {}
for _, name in ipairs(ask.names) do
    for _, text in ipairs(redis.call('ZREVRANGE', fires_key(name), 0, ask.limit - 1)) do
        -- row (FireRecord) as fire
        local fire, state = cjson.decode(text), false
        local seq = fire.job ~= cjson.null and redis.call('HGET', KEY.ids, fire.job)
        if seq then state = try('HGET', job_key(seq), 'state') or false end
        rows[#rows + 1] = {ScheduleRun; schedule = name; planned_at = fire.planned_at; outcome = fire.outcome; state = state}
    end
end
return {'runs', rows}

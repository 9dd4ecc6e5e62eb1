-- Has the jobs that wait for new events looked at, the events of `limit` at a time.
-- KEYS sent_new, wakes
-- asks limit
-- gives told: a row for each job
-- with waits
local told = {}
for _, name in ipairs(redis.call('SPOP', KEY.sent_new, ask.limit)) do
    for _, seq in ipairs(redis.call('SMEMBERS', waiters_key(name))) do
        if redis.call('HGET', job_key(seq), 'awaits') == name then
            redis.call('SADD', KEY.wakes, seq)
            told[#told + 1] = {tonumber(seq)}
        else
            -- Of a job whose body is gone nothing else tells what it waited for.
            redis.call('SREM', waiters_key(name), seq)
        end
    end
end
return {'told', told}

-- Sets the counters of running jobs of limited queues to what the leases hold; those that were wrong.
-- KEYS counts, queues, configured, lease_until, lease_from
-- gives drifted: rows (CounterDrift) as wrong
-- with allow_oom, lease, limits, drift
local rows = drifted()
for _, wrong in ipairs(rows) do
    if wrong.name == '*' then redis.call('HSET', queue_key('*'), 'running', wrong.running)
    else redis.call('HSET', KEY.counts, 'running:' .. wrong.name, wrong.running) end
end
return {'drifted', rows}

-- Counters of jobs that are wrong, by queue and state; not of those that wait for their time, which lie together.
-- KEYS counts, due, queues, lease_until, waiting
-- without epoch
-- gives drifted: rows (queue, state, counted, found)
-- with index, state_sets, lease, job_counts
local drifted = {}
JOB_COUNTS.compare(function(queue, state, counted, found) drifted[#drifted + 1] = {queue, state, counted, found} end)
return {'drifted', drifted}

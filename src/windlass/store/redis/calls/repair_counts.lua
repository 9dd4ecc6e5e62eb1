-- Sets counters of jobs right, by queue and state.
-- KEYS counts, due, queues, lease_until, waiting
-- gives drifted: rows (queue, state, counted, found)
-- with chunks, allow_oom, index, state_sets, lease, job_counts
local drifted = {}
JOB_COUNTS.compare(function(queue, state, counted, found)
    drifted[#drifted + 1] = {queue, state, counted, found}
    count(state, queue, found - counted)
end)
settle()
return {'drifted', drifted}

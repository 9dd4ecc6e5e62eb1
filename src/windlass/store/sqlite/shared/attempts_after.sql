-- The attempts of a job (core/fault/attempts.py) with the one that ends. The first and the newest 19 are
-- kept; before them stands how many were left out. What cannot be read is begun anew. Needs ending.
    json_insert(
        CASE WHEN coalesce(NOT json_valid(windlass_job.attempts), true) THEN '[0]'
            WHEN json_array_length(windlass_job.attempts) > 20
            THEN json_set(json_remove(windlass_job.attempts, '$[2]'), '$[0]', json_extract(windlass_job.attempts, '$[0]') + 1)
            ELSE windlass_job.attempts END,
        '$[#]', json_array(
            windlass_job.fence,
            -- a manual claim, whose lease has a colon, was charged when it was made
            windlass_job.attempt + iif(instr(coalesce(windlass_job.lease, ''), ':') > 0, 0, 1),
            windlass_job.claimed_at, coalesce(windlass_job.started_at, :now - ending.ran_for), :now,
            windlass_job.worker, {outcome},
            iif(cancel_requested_at IS NULL, ending.reason, NULL),
            iif(cancel_requested_at IS NULL, ending.delay, NULL)))

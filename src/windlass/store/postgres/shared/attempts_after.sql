-- The attempts of a job (core/fault/attempts.py) with the one that ends. The first and the newest 19 are
-- kept; before them stands how many were left out. What is no list is begun anew. Needs running, ending and clock.
    (SELECT CASE WHEN jsonb_typeof(job.attempts) IS DISTINCT FROM 'array' THEN '[0]'
            WHEN jsonb_array_length(job.attempts) > 20
            THEN jsonb_set(job.attempts - 2, ARRAY['0'], to_jsonb(1 + coalesce(
                CAST(jsonb_path_query_first(job.attempts, '$[0] ? (@.type() == "number")') AS bigint), 0)))
            ELSE job.attempts END
        || jsonb_build_array(jsonb_build_array(
            running.fence,
            -- a manual claim, whose lease has a colon, was charged when it was made
            running.attempt + CASE WHEN strpos(running.lease, ':') > 0 THEN 0 ELSE 1 END,
            running.claimed_at, coalesce(running.started_at, clock.now - ending.ran_for), clock.now, running.worker,
            {outcome},
            CASE WHEN running.cancel_requested_at IS NULL THEN ending.reason END,
            CASE WHEN running.cancel_requested_at IS NULL THEN ending.delay END))
        FROM windlass_job AS job WHERE job.seq = running.seq)

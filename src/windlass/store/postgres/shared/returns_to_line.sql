-- Whether the run of the row running, which ends by the row {ending}, leads back to the jobs that wait for its concurrency key.
-- The order is for the planner, which then takes the index, however few jobs wait.
    {ending}.state = 'pending' AND running.cancel_requested_at IS NULL AND running.gate IS NOT NULL AND (
        SELECT first.seq FROM windlass_blocked AS first
        WHERE first.gate = running.gate AND first.seq BETWEEN 0 AND 9223372036854775807
        ORDER BY first.priority DESC, first.since, first.seq LIMIT 1) IS NOT NULL

-- Whether the run of the row running, which ends by the row {ending}, leads back to the jobs that wait for its concurrency key.
    {ending}.state = 'pending' AND running.cancel_requested_at IS NULL AND running.gate IS NOT NULL AND EXISTS (
        SELECT 1 FROM windlass_blocked AS waiting WHERE waiting.gate = running.gate)

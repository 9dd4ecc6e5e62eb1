-- Gives the job to :lease under a new fence.
UPDATE OR FAIL windlass_job SET
    state = 'running', fence = fence + 1, lease = :lease, claim = :token, worker = :worker, claimed_at = :now,
    started_at = NULL, finished_at = NULL, promised = 0

-- The jobs of this lease that somebody wants cancelled.
-- gives cancels
SELECT seq, fence FROM windlass_job WHERE state = 'running' AND lease = :lease AND cancel_requested_at IS NOT NULL

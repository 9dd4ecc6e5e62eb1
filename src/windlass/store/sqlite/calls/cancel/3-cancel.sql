-- Ends what waits; asks what runs to stop. A running job that is asked already stays as it is.
-- gives cancelled
UPDATE windlass_job SET
    state = iif(state = 'running', 'running', 'cancelled'),
    reason = iif(state = 'running', reason, NULL),
    finished_at = iif(state = 'running', NULL, :now),
    cancel_requested_at = :now
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND (
    state IN ('scheduled', 'pending', 'retrying', 'blocked') OR (state = 'running' AND cancel_requested_at IS NULL))
RETURNING seq, state

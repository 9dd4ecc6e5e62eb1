-- Says who cancels what 2-end and 3-ask are going to change.
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT seq, :now, iif(state = 'running', 'cancel_requested', 'cancelled'), worker, fence,
    json_object('by', :by, 'reason', :reason)
FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND (
    state IN ('scheduled', 'pending', 'retrying', 'blocked') OR (state = 'running' AND cancel_requested_at IS NULL))

-- Removes jobs that do not run; one that runs is its owner's.
-- :states are those that both the caller and the table of transitions allow
-- gives deleted
DELETE FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND state IN (SELECT value FROM jsonb_each(:states))
RETURNING seq

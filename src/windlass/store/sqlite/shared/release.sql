-- Lets the children of :unsettled go whose edges are all settled.
UPDATE windlass_job SET state = iif(run_at > :now, 'scheduled', 'pending'), reason = NULL, gate = NULL
WHERE seq IN (SELECT value FROM json_each(:unsettled)) AND state = 'blocked' AND gate = 'parents'
AND NOT EXISTS (SELECT 1 FROM windlass_edge WHERE child = windlass_job.seq AND state < 2)

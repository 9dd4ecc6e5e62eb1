-- Whether jobs wait to be claimed, and when the next one is due: asked after commits of other processes, most of which
-- are heartbeats, claims and endings, and no reason to go for jobs.
-- gives work
SELECT
    EXISTS (SELECT 1 FROM windlass_job WHERE state = 'pending' AND crashes = 0 AND rescues = 0)
    OR EXISTS (SELECT 1 FROM windlass_job WHERE state = 'pending' AND crashes + rescues > 0),
    (SELECT min(run_at) FROM windlass_job WHERE state IN ('scheduled', 'retrying'))

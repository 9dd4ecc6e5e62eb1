-- Whether jobs wait to be claimed, and when the next one is due, or may go for which there was no token: asked after commits of other processes, most of which
-- are heartbeats, claims and endings, and no reason to go for jobs.
-- gives work
SELECT
    EXISTS (SELECT 1 FROM windlass_job WHERE state = 'pending' AND crashes = 0 AND rescues = 0)
    OR EXISTS (SELECT 1 FROM windlass_job WHERE state = 'pending' AND crashes + rescues > 0),
    (SELECT min(at) FROM (
        SELECT min(run_at) AS at FROM windlass_job WHERE state IN ('scheduled', 'retrying')
        UNION ALL
        SELECT min(opens_at) FROM windlass_rate_gate WHERE opens_at IS NOT NULL))

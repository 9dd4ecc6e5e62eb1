-- Gives one manually claimed job more time, under its fence.
-- gives extended
WITH
-- here clock
UPDATE windlass_lease AS lease SET renewed_at = (SELECT now FROM clock), ttl = CAST(:ttl AS bigint)
WHERE lease.state = 'open' AND lease.id = (
    SELECT running.lease FROM windlass_running AS running
    WHERE running.seq = CAST(:seq AS bigint) AND running.fence = CAST(:fence AS bigint)
    AND strpos(running.lease, ':') > 0)
RETURNING lease.id

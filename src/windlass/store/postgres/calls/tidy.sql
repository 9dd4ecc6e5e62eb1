-- Removes what nobody needs any more besides jobs, and notes what was cleaned where there was something (:detail).
--
-- Takes no lock that somebody else has, so that it waits for nobody; what it passes by goes next time.
WITH clock AS (
-- here clock
), lease AS (
    -- Leases that hold nothing and have been over for a day.
    DELETE FROM windlass_lease WHERE id = ANY (ARRAY(
        SELECT lease.id FROM windlass_lease AS lease
        WHERE lease.renewed_at + lease.ttl < (SELECT now FROM clock) - 86400000
        AND NOT EXISTS (SELECT 1 FROM windlass_running AS running WHERE running.lease = lease.id)
        FOR UPDATE SKIP LOCKED))
), worker AS (
    -- Workers that were lost more than a day ago.
    DELETE FROM windlass_worker WHERE id = ANY (ARRAY(
        SELECT worker.id FROM windlass_worker AS worker WHERE worker.seen_at < (SELECT now FROM clock) - 86400000
        FOR UPDATE SKIP LOCKED))
), free AS MATERIALIZED (
    -- Keys whose window is over, or whose job is gone.
    SELECT key.key, key.xmin FROM windlass_key AS key
    WHERE key.expires_at <= (SELECT now FROM clock)
    OR (SELECT job.seq FROM windlass_job AS job WHERE job.id = key.id) IS NULL
), key AS (
    DELETE FROM windlass_key WHERE key = ANY (ARRAY(
        -- Only the very row that was found to be free: a newer one belongs to a job that this statement cannot see.
        SELECT key.key FROM free JOIN windlass_key AS key ON key.key = free.key AND key.xmin = free.xmin
        FOR UPDATE OF key SKIP LOCKED))
), event AS (
    -- Old events of jobs that are kept, and the oldest beyond a bound.
    DELETE FROM windlass_event WHERE number = ANY (ARRAY(
        SELECT event.number FROM windlass_event AS event
        WHERE event.at < (SELECT now FROM clock) - 2592000000
        OR event.number <= (SELECT max(number) FROM windlass_event) - 1000000
        FOR UPDATE SKIP LOCKED))
)
INSERT INTO windlass_event (at, kind, worker, detail)
SELECT now, 'cleaned', CAST(:by AS text), CAST(:detail AS text) FROM clock WHERE CAST(:detail AS text) IS NOT NULL

-- In how many milliseconds the next job is due and the next lease that holds something is over; a running job without
-- an open lease is overdue.
-- gives upcoming
SELECT
    (SELECT min(run_at) FROM windlass_job WHERE state IN ('scheduled', 'retrying')) - now,
    (SELECT min(CASE WHEN lease.state = 'open' AND lease.renewed_at - lease.ttl <= now THEN lease.renewed_at + lease.ttl
            ELSE now END) - now
        FROM (SELECT DISTINCT lease FROM windlass_job WHERE state = 'running') AS held
        LEFT JOIN windlass_lease AS lease ON lease.id = held.lease)
FROM (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now) AS clock

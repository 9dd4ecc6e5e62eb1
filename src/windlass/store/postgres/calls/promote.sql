-- Makes jobs pending whose time has come, the longest overdue first. They keep their place by age.
-- gives promoted
WITH clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
)
UPDATE windlass_job AS job SET state = 'pending', promoted_at = (SELECT now FROM clock)
-- Every worker promotes; a row that somebody else has in hand is passed by, so that nobody waits.
WHERE job.seq = ANY (ARRAY(
    SELECT due.seq FROM windlass_job AS due
    WHERE due.state IN ('scheduled', 'retrying') AND due.run_at <= (SELECT now FROM clock)
    ORDER BY due.run_at, due.seq LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED))
AND job.state IN ('scheduled', 'retrying')
RETURNING job.seq

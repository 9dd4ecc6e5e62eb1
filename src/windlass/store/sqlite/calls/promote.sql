-- Makes jobs pending whose time has come, the longest overdue first. They line up by the time at which they
-- were due.
-- gives promoted
UPDATE windlass_job SET state = 'pending', promoted_at = :now
WHERE seq IN (
    SELECT seq FROM windlass_job WHERE state IN ('scheduled', 'retrying') AND run_at <= :now ORDER BY run_at, seq
    LIMIT :limit)
RETURNING seq

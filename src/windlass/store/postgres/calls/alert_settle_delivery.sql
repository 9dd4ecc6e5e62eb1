-- How a try has ended, unless another process has said so already.
-- gives settled
WITH
-- here clock
UPDATE windlass_alert_delivery SET
    state = CAST(:state AS text), tries = tries + 1, last_error = coalesce(CAST(:error AS text), last_error),
    next_try_at = clock.now + CAST(:retry_in AS bigint),
    settled_at = CASE WHEN CAST(:state AS text) = 'waiting' THEN NULL ELSE clock.now END
FROM clock WHERE number = CAST(:number AS bigint) AND tries = CAST(:tries AS bigint) AND state = 'waiting'
RETURNING 1

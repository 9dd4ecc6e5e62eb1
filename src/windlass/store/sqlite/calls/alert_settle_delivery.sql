-- How a try has ended, unless another process has said so already.
-- gives settled
UPDATE windlass_alert_delivery SET
    state = :state, tries = tries + 1, last_error = coalesce(:error, last_error), next_try_at = :now + :retry_in,
    settled_at = iif(:state = 'waiting', NULL, :now)
WHERE number = :number AND tries = :tries AND state = 'waiting'
RETURNING 1

-- The ledger of fires of one schedule, the newest first.
-- gives fires
SELECT {FireRecord} FROM windlass_fire
WHERE schedule = :name AND planned_at < CAST(:before AS bigint) ORDER BY planned_at DESC LIMIT CAST(:limit AS bigint)

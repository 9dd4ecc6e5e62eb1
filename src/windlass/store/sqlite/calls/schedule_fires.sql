-- The ledger of fires of one schedule, the newest first.
-- gives fires
SELECT {FireRecord} FROM windlass_fire WHERE schedule = :name AND planned_at < :before ORDER BY planned_at DESC LIMIT :limit

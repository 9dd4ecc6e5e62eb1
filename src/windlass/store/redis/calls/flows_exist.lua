-- A row if any job waits, or waited, for another.
-- KEYS edges
-- without epoch
-- gives exist: rows (1)
return {'exist', redis.call('EXISTS', KEY.edges) == 1 and {{1}} or {}}

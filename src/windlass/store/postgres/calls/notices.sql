-- The newest events that belong to no job, such as what was cleaned; none that is older than :age, if there is one.
-- gives events
WITH
-- here clock
SELECT {EventRecord} FROM windlass_event
WHERE seq IS NULL AND (CAST(:age AS bigint) IS NULL OR at >= (SELECT now FROM clock) - CAST(:age AS bigint))
ORDER BY number DESC LIMIT CAST(:limit AS bigint)

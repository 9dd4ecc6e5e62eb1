-- The newest events that belong to no job, such as what was cleaned; none that is older than :age, if there is one.
-- gives events
SELECT {EventRecord} FROM windlass_event
WHERE seq IS NULL AND (:age IS NULL OR at >= :now - :age) ORDER BY number DESC LIMIT :limit

-- The events that are kept for jobs, by name, :limit of them behind the first :offset.
-- gives sent
SELECT {SentEvent} FROM windlass_sent ORDER BY name LIMIT :limit OFFSET :offset

-- The newest events that belong to no job, such as what was cleaned.
-- gives events
SELECT at, kind, worker, fence, detail FROM windlass_event
WHERE seq IS NULL ORDER BY number DESC LIMIT CAST(:limit AS bigint)

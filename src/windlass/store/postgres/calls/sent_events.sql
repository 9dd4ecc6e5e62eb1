-- The events that are kept for jobs, the newest of each name, by name, :limit of them behind the first :offset.
-- gives sent
SELECT DISTINCT ON (sent.name) {sent.SentEvent} FROM windlass_sent AS sent ORDER BY sent.name, sent.number DESC
LIMIT CAST(:limit AS bigint) OFFSET CAST(:offset AS bigint)

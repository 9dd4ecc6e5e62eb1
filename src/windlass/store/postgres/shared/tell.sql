-- Tells of jobs that were stored, on the channel :news, when this commits; :ourselves need not hear it. Behind that
-- name stands the queue, if it is one: workers that do not serve it need not look. Needs stored; a column.
    (SELECT count(pg_notify(
            told.channel,
            CAST(:ourselves AS text) || CASE WHEN filled.first = filled.last THEN ' ' || filled.first ELSE '' END))
        FROM (SELECT CAST(:news AS text) AS channel) AS told,
            (SELECT min(stored.queue) AS first, max(stored.queue) AS last FROM stored) AS filled
        WHERE filled.first IS NOT NULL) AS told

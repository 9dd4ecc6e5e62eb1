-- Notifies of jobs that were stored, on the channel :news, when this commits. The message is the sender's id, which
-- ignores it, then the queue if all jobs went to one: workers of other queues ignore it. Needs stored; a column.
    (SELECT count(pg_notify(
            notified.channel,
            CAST(:ourselves AS text) || CASE WHEN filled.first = filled.last THEN ' ' || filled.first ELSE '' END))
        FROM (SELECT CAST(:news AS text) AS channel) AS notified,
            (SELECT min(stored.queue) AS first, max(stored.queue) AS last FROM stored) AS filled
        WHERE filled.first IS NOT NULL) AS notified

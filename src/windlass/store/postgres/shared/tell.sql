-- Tells of jobs that were stored, on the channel :news, when this commits; :ourselves need not hear it. Needs stored,
-- and is the last column of a SELECT.
    , (SELECT count(pg_notify(told.channel, CAST(:ourselves AS text)))
        FROM (SELECT CAST(:news AS text) AS channel) AS told WHERE EXISTS (SELECT 1 FROM stored)) AS told

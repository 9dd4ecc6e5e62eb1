-- How many members of a group are in which state; null for those that are gone.
-- gives counts
SELECT job.state, count(*) FROM windlass_member AS own LEFT JOIN LATERAL (
    SELECT record.state FROM windlass_record AS record WHERE record.seq = own.member OFFSET 0) AS job ON true
WHERE own.callback = CAST(:seq AS bigint) GROUP BY job.state

-- The counters of finished jobs that are wrong. A statement sees counters and jobs as of one instant.
-- gives drifted
SELECT queue, state, CAST(sum(counted) AS bigint), CAST(sum(found) AS bigint) FROM (
    SELECT queue, state, number AS counted, 0 AS found FROM windlass_tally
    UNION ALL
    SELECT queue, state, 0, count(*) FROM windlass_finished WHERE tallied GROUP BY queue, state) AS each
GROUP BY queue, state HAVING sum(counted) <> sum(found) ORDER BY queue, state

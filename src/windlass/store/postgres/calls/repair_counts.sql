-- Sets the counters of finished jobs right: what is missing, or too much, is one more row of the tally. Counters and jobs are
-- seen as of one instant, and every call that finishes jobs writes both, so none that ends meanwhile is counted twice.
-- gives drifted
INSERT INTO windlass_tally (number, state, queue)
SELECT sum(found) - sum(counted), state, queue FROM (
    SELECT queue, state, number AS counted, 0 AS found FROM windlass_tally
    UNION ALL
    SELECT queue, state, 0, count(*) FROM windlass_finished WHERE tallied GROUP BY queue, state) AS each
GROUP BY queue, state HAVING sum(counted) <> sum(found)
RETURNING queue, state, number, 0

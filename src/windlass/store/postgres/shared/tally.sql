-- Adds jobs that finished to the tally. Needs finished, which gives the queue and state of each row that it inserted with
-- tallied set.
tally AS (
    INSERT INTO windlass_tally (number, state, queue)
    SELECT count(*), state, queue FROM finished GROUP BY state, queue
)

-- How many jobs wait in the queue {queue}, no further than to its limit {most}, which is what a max_length bounds.
    (SELECT count(*) FROM (
        SELECT 1 FROM windlass_ready AS ready
        WHERE ready.queue = {queue} AND ready.seq BETWEEN 0 AND 9223372036854775807
        LIMIT {most} + 1) AS counted)
    + (SELECT count(*) FROM (
        SELECT 1 FROM windlass_due AS due
        WHERE due.queue = {queue} AND due.seq BETWEEN 0 AND 9223372036854775807
        LIMIT {most} + 1) AS counted)
    + (SELECT count(*) FROM (
        SELECT 1 FROM windlass_blocked AS blocked
        WHERE blocked.queue = {queue} AND blocked.seq BETWEEN 0 AND 9223372036854775807
        LIMIT {most} + 1) AS counted)

-- All workers that live or were lost lately; a worker whose lease has expired has lost it.
-- gives workers
WITH
-- here clock
SELECT worker.id, worker.name,
    CASE WHEN
        -- here live_lease
        THEN worker.state ELSE 'lost' END,
    worker.started_at, worker.seen_at, worker.signal, worker.signalled_by, worker.info
FROM clock, windlass_worker AS worker LEFT JOIN windlass_lease AS lease ON lease.id = worker.lease
ORDER BY worker.started_at, worker.id

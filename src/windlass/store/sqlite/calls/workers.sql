-- All workers that live or were lost lately; a worker whose lease has expired has lost it.
-- gives workers
SELECT windlass_worker.id, name,
    CASE WHEN
        -- here live_lease
        THEN windlass_worker.state ELSE 'lost' END,
    started_at, seen_at, signal, signalled_by, info
FROM windlass_worker LEFT JOIN windlass_lease ON windlass_lease.id = windlass_worker.lease
ORDER BY started_at, windlass_worker.id

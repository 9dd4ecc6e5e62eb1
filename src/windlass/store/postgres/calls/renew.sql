-- Prolongs a lease and says that its worker lives and what it does. Time alone does not end a lease: until its
-- jobs are rescued it may be renewed, however late.
-- gives held
-- gives open
WITH
-- here clock
, renewed AS (
    UPDATE windlass_lease AS lease SET renewed_at = clock.now FROM clock
    WHERE lease.id = :lease AND lease.state = 'open'
    RETURNING lease.id
), shown AS (
    -- A worker's row that was deleted is written again.
    INSERT INTO windlass_worker (id, name, state, lease, started_at, seen_at, info)
    SELECT CAST(:worker AS text), CAST(:name AS text), CAST(:state AS text), CAST(:lease AS text), now, now,
        CAST(:info AS text)
    FROM clock WHERE EXISTS (SELECT 1 FROM renewed)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, seen_at = excluded.seen_at, info = excluded.info
)
SELECT
    -- The jobs that the lease held when the call came: a worker that ran another one by then has lost it.
    (SELECT coalesce(json_agg(json_build_array(seq, fence)), '[]') FROM windlass_running
        WHERE lease = :lease) AS held,
    json_build_array(json_build_array(EXISTS (SELECT 1 FROM renewed))) AS open

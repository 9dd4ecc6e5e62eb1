-- Says that the worker lives and what it does; a row that somebody deleted is made anew.
INSERT INTO windlass_worker (id, name, state, lease, started_at, seen_at, info)
SELECT :worker, :name, :state, :lease, :now, :now, :info
WHERE EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open')
ON CONFLICT (id) DO UPDATE SET state = :state, seen_at = :now, info = :info

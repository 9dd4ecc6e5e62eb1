-- Gives the jobs of judged to {lease} under a new fence, and blocks those whose concurrency key others hold (is_full).
UPDATE windlass_job SET
    state = iif(is_full, 'blocked', 'running'),
    reason = iif(is_full, 'key', reason),
    gate = iif(is_full, concurrency_key, NULL),
    promised = 0,
    fence = fence + NOT is_full,
    lease = iif(is_full, NULL, {lease}),
    claim = iif(is_full, NULL, :token),
    worker = iif(is_full, worker, :worker),
    claimed_at = iif(is_full, claimed_at, :now),
    started_at = iif(is_full, started_at, {started_at}),
    finished_at = NULL

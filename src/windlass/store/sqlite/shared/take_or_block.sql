-- Gives the jobs of judged to {lease} under a new fence, and blocks those without a token (is_out), and those whose
-- concurrency key others hold (is_full). One without a token that has its concurrency key is still marked, for the key
-- goes on to the next.
UPDATE windlass_job SET
    state = iif(is_out OR is_full, 'blocked', 'running'),
    reason = iif(is_out, 'rate', iif(is_full, 'key', reason)),
    gate = iif(is_out, rate_key, iif(is_full, concurrency_key, NULL)),
    promised = is_out AND promised = 1,
    fence = fence + NOT (is_out OR is_full),
    lease = iif(is_out OR is_full, NULL, {lease}),
    claim = iif(is_out OR is_full, NULL, :token),
    worker = iif(is_out OR is_full, worker, :worker),
    claimed_at = iif(is_out OR is_full, claimed_at, :now),
    started_at = iif(is_out OR is_full, started_at, {started_at}),
    finished_at = NULL

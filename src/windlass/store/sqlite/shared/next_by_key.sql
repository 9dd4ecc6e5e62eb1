-- How many jobs of :queue may be taken, room (number), and as many of them, next; 500 more if there are some among them that
-- have to wait by themselves. Mostly there are none, and then what is behind them is not looked at.
room AS MATERIALIZED (
    SELECT
        -- here room (queue = :queue, asked = :number - of_queue, taken = of_queue, all = of_all)
        AS number
    FROM (
        SELECT count(*) AS of_all, count(*) FILTER (WHERE queue = :queue) AS of_queue FROM windlass_job
        WHERE state = 'running' AND lease = :lease AND claim = :token)
), next AS MATERIALIZED (
    SELECT seq, priority, run_at, concurrency_key, rate_key, promised, false AS is_out FROM windlass_job
    WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0 ORDER BY priority DESC, run_at, seq
    LIMIT (SELECT number FROM room) + 500 * EXISTS (
        SELECT 1 FROM (
            SELECT concurrency_key, rate_key, promised,
                row_number() OVER (PARTITION BY concurrency_key, promised = 1) AS turn
            FROM (
                SELECT concurrency_key, rate_key, promised FROM windlass_job
                WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0
                ORDER BY priority DESC, run_at, seq LIMIT (SELECT number FROM room))) AS first
        WHERE rate_key IS NOT NULL OR (concurrency_key IS NOT NULL AND promised <> 1 AND turn > (
            -- here key_room (key = first.concurrency_key)
        )))
)

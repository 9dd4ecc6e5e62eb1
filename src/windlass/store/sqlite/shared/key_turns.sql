-- Which of the jobs of next are taken, room.number at the most, and which of those that stand before them are blocked
-- (is_full), because others hold their key: rows (seq, is_full). Needs room (number) and next.
    SELECT seq, is_full FROM (
        SELECT seq, is_full,
            sum(NOT is_full) OVER (ORDER BY priority DESC, run_at, seq ROWS UNBOUNDED PRECEDING) AS taken
        FROM (
            SELECT seq, priority, run_at, concurrency_key IS NOT NULL AND NOT promised AND turn > key_room AS is_full
            FROM (
                SELECT seq, priority, run_at, concurrency_key, promised,
                    row_number() OVER (
                        PARTITION BY concurrency_key, promised ORDER BY priority DESC, run_at, seq) AS turn,
                    CASE WHEN concurrency_key IS NULL OR promised THEN 0 ELSE (
                        -- here key_room (key = next.concurrency_key)
                    ) END AS key_room
                FROM next)))
    WHERE taken < (SELECT number FROM room) + NOT is_full

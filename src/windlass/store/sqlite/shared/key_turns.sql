-- Which of the jobs of {offered} are taken, room.number at the most, and which of those that stand before them are blocked,
-- because there is no token for them (is_out) or others hold their key (is_full): rows (seq, is_out, is_full). Needs room
-- (number).
    SELECT seq, is_out, is_full FROM (
        SELECT seq, is_out, is_full,
            sum(NOT is_out AND NOT is_full) OVER (
                ORDER BY priority DESC, run_at, seq ROWS UNBOUNDED PRECEDING) AS taken
        FROM (
            SELECT seq, priority, run_at, is_out,
                NOT is_out AND concurrency_key IS NOT NULL AND promised <> 1 AND turn > key_room AS is_full
            FROM (
                SELECT seq, priority, run_at, is_out, concurrency_key, promised,
                    sum(NOT is_out) OVER (
                        PARTITION BY concurrency_key, promised = 1 ORDER BY priority DESC, run_at, seq
                        ROWS UNBOUNDED PRECEDING) AS turn,
                    CASE WHEN concurrency_key IS NULL OR promised = 1 THEN 0 ELSE (
                        -- here key_room (key = {offered}.concurrency_key)
                    ) END AS key_room
                FROM {offered})))
    WHERE taken < (SELECT number FROM room) + (NOT is_out AND NOT is_full)

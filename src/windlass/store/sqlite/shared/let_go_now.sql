-- How many of the jobs that wait at the rate :name may go: as many as it has tokens besides those that were let go and
-- are not claimed yet. If these are not, while the bucket is full, one more goes: they may be of a queue that is paused.
    coalesce((
        SELECT iif(
            EXISTS (
                SELECT 1 FROM windlass_cooldown
                WHERE scope = 'task' AND windlass_cooldown.name = :name AND began_at <= :now AND :now < ends_at),
            0,
            min(500, max(
                (
                    -- here filled
                ) / period - (
                    -- here let_go_before
                ),
                burst * period <=
                    -- here filled
            )))
        FROM windlass_rate_gate
        WHERE windlass_rate_gate.name = :name AND EXISTS (
            SELECT 1 FROM windlass_rate_limit WHERE task = substr(:name, 1, instr(:name, char(9)) - 1))), 500)

-- When a rate at which jobs wait has a token for the next of them, if {ahead} go to others.
    max(
        :now + max(1, (({ahead} + 1) * period + amount - 1 - (
            -- here filled
        )) / amount),
        coalesce((
            SELECT ends_at FROM windlass_cooldown
            WHERE scope = 'task' AND windlass_cooldown.name = windlass_rate_gate.name AND began_at <= :now), 0))

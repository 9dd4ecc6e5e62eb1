-- How many tokens there are for jobs with the rate key {key}, less those that this call took, of which {own} says which jobs
-- own they are. None while the rate cools down; null where the task has no rate.
    (SELECT iif(
        EXISTS (
            SELECT 1 FROM windlass_cooldown
            WHERE scope = 'task' AND name = {key} AND began_at <= :now AND :now < ends_at),
        0,
        coalesce((
            SELECT (
                -- here filled
            ) / period FROM windlass_rate_gate WHERE name = {key}), known.burst)
        - (SELECT count(*) FROM windlass_job AS own WHERE own.state = 'running' AND {own} AND own.rate_key = {key}))
    FROM windlass_rate_limit AS known WHERE known.task = substr({key}, 1, instr({key}, char(9)) - 1))

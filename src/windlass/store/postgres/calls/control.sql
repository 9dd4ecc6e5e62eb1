-- What others want of a worker; asked once a second, so it only reads.
-- gives signal
-- gives cancels
-- gives queues
-- gives cooling
-- gives muted
WITH
-- here clock
SELECT
    -- The order for this worker and who gave it, whether its lease is still open, the time, and who wants its stacks.
    json_build_array(json_build_array(
        (SELECT signal FROM windlass_worker WHERE id = :worker),
        (SELECT signalled_by FROM windlass_worker WHERE id = :worker),
        EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open'),
        (SELECT now FROM clock),
        (SELECT stacks FROM windlass_worker WHERE id = :worker))) AS signal,
    -- The jobs of this lease that are to be cancelled.
    (SELECT coalesce(json_agg(json_build_array(seq, fence)), '[]') FROM windlass_running
        WHERE lease = :lease AND cancel_requested_at IS NOT NULL) AS cancels,
    -- The settings of the queues, followed while running.
    (SELECT coalesce(json_agg(json_build_array(name, weight, paused_at IS NOT NULL, retry)), '[]') FROM windlass_queue
        WHERE weight IS NOT NULL OR paused_at IS NOT NULL OR retry IS NOT NULL) AS queues,
    -- The tasks that cool down, and for how long.
    (SELECT coalesce(json_agg(json_build_array(name, ends_at - now)), '[]') FROM windlass_cooldown, clock
        -- not their rates, which have a tab in their names: claims ask about those
        WHERE scope = 'task' AND strpos(name, E'\t') = 0 AND began_at <= now AND now < ends_at) AS cooling,
    -- The causes of failures that are muted.
    (SELECT coalesce(json_agg(json_build_array(cause)), '[]') FROM windlass_mute, clock
        WHERE ends_at IS NULL OR now < ends_at) AS muted

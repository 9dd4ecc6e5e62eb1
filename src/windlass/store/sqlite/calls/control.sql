-- 1. signal
-- The order for this worker and who gave it, whether its lease is still open, the time, and who wants its stacks.
-- gives signal
SELECT (SELECT signal FROM windlass_worker WHERE id = :worker),
    (SELECT signalled_by FROM windlass_worker WHERE id = :worker),
    EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open'),
    :now,
    (SELECT stacks FROM windlass_worker WHERE id = :worker)

-- 2. cancels
-- The jobs of this lease that are to be cancelled.
-- gives cancels
SELECT seq, fence FROM windlass_job WHERE state = 'running' AND lease = :lease AND cancel_requested_at IS NOT NULL

-- 3. queues
-- The settings of the queues, followed while running.
-- gives queues
SELECT name, weight, paused_at IS NOT NULL, retry FROM windlass_queue
WHERE weight IS NOT NULL OR paused_at IS NOT NULL OR retry IS NOT NULL

-- 4. cooling
-- The tasks that cool down, and for how long; not their rates, which have a tab in their names: claims ask about those.
-- gives cooling
SELECT name, ends_at - :now FROM windlass_cooldown WHERE scope = 'task' AND instr(name, char(9)) = 0
AND began_at <= :now AND :now < ends_at

-- 5. muted
-- The causes of failures that are muted.
-- gives muted
SELECT cause FROM windlass_mute WHERE ends_at IS NULL OR :now < ends_at

-- 1. worker
-- Workers that were lost more than a day ago, :limit at a time.
-- gives workers
DELETE FROM windlass_worker WHERE id IN (SELECT id FROM windlass_worker WHERE seen_at < :now - 86400000 LIMIT :limit)
RETURNING 1

-- 2. lease
-- Leases that hold nothing and have been over for a day, :limit at a time.
-- gives leases
DELETE FROM windlass_lease WHERE id IN (
    SELECT id FROM windlass_lease WHERE renewed_at + ttl < :now - 86400000
    AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE state = 'running' AND windlass_job.lease = windlass_lease.id)
    LIMIT :limit)
RETURNING 1

-- 3. cooldown
-- Cool-downs that have been over for a day: by then they do not make the next one longer.
-- gives cooldowns
DELETE FROM windlass_cooldown WHERE (scope, name) IN (
    SELECT scope, name FROM windlass_cooldown WHERE ends_at < :now - 86400000 LIMIT :limit)
RETURNING 1

-- 4. failures
-- Counts of failures that no window has in it any more.
-- gives failures
DELETE FROM windlass_failure_count WHERE (task, cause, at) IN (
    SELECT task, cause, at FROM windlass_failure_count WHERE at < :now - 86400000 LIMIT :limit)
RETURNING 1

-- 4. line
-- Callers that have not come for a day, for limits that are not used any more.
-- gives waiters
DELETE FROM windlass_waiter WHERE (name, id) IN (
    SELECT name, id FROM windlass_waiter WHERE until < :now - 86400000 LIMIT :limit)
RETURNING 1

-- 5. sent
-- Events that were sent a week ago and that no job waits for.
-- gives sent
DELETE FROM windlass_sent WHERE name IN (
    SELECT sent.name FROM windlass_sent AS sent WHERE sent.sent_at < :now - 604800000 AND sent.is_new = 0
    AND NOT EXISTS (
        SELECT 1 FROM windlass_step AS step WHERE step.event = sent.name AND step.event IS NOT NULL AND step.ended_at IS NULL)
    LIMIT :limit)
RETURNING 1

-- 6. limit
-- Limits of the code that were not used for a week: their buckets are full, so nothing is lost.
-- gives limits
DELETE FROM windlass_limit WHERE name IN (
    SELECT name FROM windlass_limit
    WHERE changed_at IS NULL AND filled_at < :now - 604800000 AND (burst * period - level) / amount < :now - filled_at
    LIMIT :limit)
RETURNING 1

-- 6. rate
-- Token buckets of tasks and keys that are full again: one without a row is full.
-- gives rates
DELETE FROM windlass_rate_gate WHERE name IN (
    SELECT name FROM windlass_rate_gate WHERE opens_at IS NULL AND full_at <= :now LIMIT :limit)
RETURNING 1

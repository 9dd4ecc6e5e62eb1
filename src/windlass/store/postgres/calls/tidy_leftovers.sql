-- Removes workers that were lost more than a day ago and leases that hold nothing and have been over for a day, :limit of
-- each at a time; and adds up the rows of the tally. Also cool-downs that have been over for a day, which do not make the
-- next one longer any more, callers that have not come for a day, and limits of the code that were not used for a week:
-- their buckets are full, so nothing is lost. And buckets of tasks and keys that are full again, and counts of failures that
-- no window has in it any more.
-- gives workers
-- gives leases
-- gives cooldowns
-- gives waiters
-- gives limits
-- gives rates
-- gives sent
-- gives failures
--
-- Takes no lock that another transaction has, so that it never waits; what it skips goes next time.
WITH
-- here clock
, lease AS (
    DELETE FROM windlass_lease WHERE id = ANY (ARRAY(
        SELECT lease.id FROM windlass_lease AS lease
        WHERE lease.renewed_at + lease.ttl < (SELECT now FROM clock) - 86400000
        AND NOT EXISTS (SELECT 1 FROM windlass_running AS running WHERE running.lease = lease.id)
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE SKIP LOCKED))
    RETURNING id
), worker AS (
    DELETE FROM windlass_worker WHERE id = ANY (ARRAY(
        SELECT worker.id FROM windlass_worker AS worker WHERE worker.seen_at < (SELECT now FROM clock) - 86400000
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE SKIP LOCKED))
    RETURNING id
), apart AS (
    DELETE FROM windlass_tally WHERE ctid = ANY (ARRAY(
        SELECT tally.ctid FROM windlass_tally AS tally
        WHERE (SELECT count(*) > count(DISTINCT (queue, state)) FROM windlass_tally)
        FOR UPDATE SKIP LOCKED))
    RETURNING queue, state, number
), summed AS (
    INSERT INTO windlass_tally (number, state, queue)
    SELECT sum(number), state, queue FROM apart GROUP BY state, queue HAVING sum(number) <> 0
), cooldown AS (
    DELETE FROM windlass_cooldown WHERE (scope, name) IN (
        SELECT cooldown.scope, cooldown.name FROM windlass_cooldown AS cooldown
        WHERE cooldown.ends_at < (SELECT now FROM clock) - 86400000
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE SKIP LOCKED)
    RETURNING name
), failure AS (
    DELETE FROM windlass_failure_count WHERE (task, cause, at) IN (
        SELECT counted.task, counted.cause, counted.at FROM windlass_failure_count AS counted
        WHERE counted.at < (SELECT now FROM clock) - 86400000
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE SKIP LOCKED)
    RETURNING 1
), waiter AS (
    DELETE FROM windlass_waiter WHERE (name, id) IN (
        SELECT waiter.name, waiter.id FROM windlass_waiter AS waiter
        WHERE waiter.until < (SELECT now FROM clock) - 86400000
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE SKIP LOCKED)
    RETURNING name
), unused AS (
    DELETE FROM windlass_limit WHERE name = ANY (ARRAY(
        SELECT stored.name FROM windlass_limit AS stored, clock
        WHERE stored.changed_at IS NULL AND stored.filled_at < clock.now - 604800000
        AND (stored.burst * stored.period - stored.level) / stored.amount < clock.now - stored.filled_at
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE OF stored SKIP LOCKED))
    RETURNING name
), idle AS (
    DELETE FROM windlass_rate_gate WHERE name = ANY (ARRAY(
        SELECT rate.name FROM windlass_rate_gate AS rate
        WHERE rate.opens_at IS NULL AND rate.full_at BETWEEN 0 AND (SELECT now FROM clock)
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE SKIP LOCKED))
    RETURNING name
), passed AS (
    -- Events that were sent a week ago and that no job waits for.
    DELETE FROM windlass_sent WHERE number = ANY (ARRAY(
        SELECT sent.number FROM windlass_sent AS sent
        WHERE NOT sent.is_new AND sent.sent_at BETWEEN 0 AND (SELECT now FROM clock) - 604800000 AND NOT EXISTS (
            SELECT 1 FROM windlass_step AS step
            WHERE step.event = sent.name AND step.event IS NOT NULL AND step.ended_at IS NULL)
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE OF sent SKIP LOCKED))
    RETURNING number
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM worker) AS workers,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM lease) AS leases,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM cooldown) AS cooldowns,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM waiter) AS waiters,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM unused) AS limits,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM idle) AS rates,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM passed) AS sent,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM failure) AS failures

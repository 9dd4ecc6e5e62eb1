-- 1. gone
-- Callers that did not come when it was their turn, or came before the clock went back. The one that asks keeps its place.
DELETE FROM windlass_waiter WHERE name = :name AND (until <= :now OR since > :now + 10000) AND id IS NOT :waiter

-- 2. ahead
-- How many that wait come first. One that has not come 2 s after its turn keeps its place and holds up no other: it may be
-- dead, or a job that waits for the very slot in which the caller runs.
-- binds ahead
SELECT count(*) FROM (
    SELECT 1 FROM windlass_waiter AS other
    WHERE other.name = :name AND other.until > :now + 8000 AND other.id IS NOT :waiter AND (other.since, other.id) < (
        SELECT coalesce(max(since), 9223372036854775807), coalesce(:waiter, '') FROM windlass_waiter
        WHERE name = :name AND id = :waiter)
    LIMIT :most)

-- 3. cooling
-- For how many milliseconds the limit still cools down.
-- binds cooling
SELECT coalesce((
    SELECT ends_at - :now FROM windlass_cooldown
    WHERE scope = 'limit' AND name = :name AND began_at <= :now AND :now < ends_at), 0)

-- 4. is_taken
-- Whether there is a token for the caller besides those of the callers that come first.
-- binds is_taken
SELECT EXISTS (
    SELECT 1 FROM windlass_limit WHERE name = :name AND :cooling = 0 AND (:ahead + 1) * period <=
    -- here filled
)

-- 5. take
-- Writes only what has to be known later: also how far the clock went back.
UPDATE windlass_limit SET
    level =
    -- here filled
    - :is_taken * period,
    filled_at = :now
WHERE name = :name AND (:is_taken OR filled_at > :now)

-- 6. served
DELETE FROM windlass_waiter WHERE :is_taken AND name = :name AND id = :waiter

-- 7. due
-- When it is the caller's turn, if those that come first take one token each. What comes during a cool-down is not more
-- than fills the bucket.
-- binds due
SELECT coalesce((
    SELECT max(
        0,
        ((:ahead + 1) * period + amount - 1 -
        -- here filled
        ) / amount,
        iif(:cooling, :cooling + (max(0, :ahead + 1 - burst) * period + amount - 1) / amount, 0))
    FROM windlass_limit WHERE name = :name), 0)

-- 8. wait
-- A place in line, behind all others also within a millisecond, kept until 10 s after the caller's turn; moved only when
-- that has moved by a second, for a write costs more than a look.
INSERT INTO windlass_waiter (name, id, since, until)
SELECT name, :waiter, max(:now, coalesce((SELECT max(since) + 1 FROM windlass_waiter WHERE name = :name), 0)),
    :now + :due + 10000
FROM windlass_limit
WHERE name = :name AND :waiter IS NOT NULL AND NOT :is_taken AND :ahead < :most
ON CONFLICT (name, id) DO UPDATE SET until = excluded.until WHERE abs(until - excluded.until) > 1000

-- 9. taken
-- gives taken
SELECT :is_taken, iif(:is_taken, 0, :due), :ahead FROM windlass_limit WHERE name = :name

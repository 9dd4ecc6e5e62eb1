-- Takes one token of a limit, if there is one for the caller besides those of the callers that wait and come first.
-- :waiter who will come again, or null: it gets a place in line until 10 s after its turn
-- :most how many places there are
-- gives taken
--
-- One that has not come 2 s after its turn keeps its place and holds up no other: it may be dead, or a job that waits for
-- the very slot in which the caller runs.
--
-- The line is read as it was when the statement began. One that took its token since may still count as waiting: then the
-- caller comes again a little later than it could.
WITH
-- here bucket
, line AS MATERIALIZED (
    SELECT bucket.*,
        (SELECT count(*) FROM (
            SELECT 1 FROM windlass_waiter AS other
            WHERE other.name = bucket.name AND other.until > bucket.now + 8000 AND other.since <= bucket.now + 10000
            AND other.id IS DISTINCT FROM CAST(:waiter AS text)
            AND (other.since, other.id) < (coalesce((
                SELECT own.since FROM windlass_waiter AS own WHERE own.name = bucket.name AND own.id = CAST(:waiter AS text)),
                9223372036854775807), coalesce(CAST(:waiter AS text), ''))
            LIMIT CAST(:most AS bigint)) AS before) AS ahead,
        coalesce((
            SELECT cooldown.ends_at - bucket.now FROM windlass_cooldown AS cooldown
            WHERE cooldown.scope = 'limit' AND cooldown.name = bucket.name
            AND cooldown.began_at <= bucket.now AND bucket.now < cooldown.ends_at), 0) AS cooling
    FROM bucket
), judged AS MATERIALIZED (
    -- When it is the caller's turn, if those that come first take one token each. What comes during a cool-down is not
    -- more than fills the bucket.
    SELECT line.*, cooling = 0 AND (ahead + 1) * period <= level AS is_taken, greatest(
        0, ((ahead + 1) * period + amount - 1 - level) / amount,
        CASE WHEN cooling > 0 THEN cooling + (greatest(0, ahead + 1 - burst) * period + amount - 1) / amount ELSE 0 END
        ) AS due
    FROM line
), taken AS (
    -- Writes only what has to be known later: also how far the clock went back.
    UPDATE windlass_limit AS stored SET
        level = judged.level - CASE WHEN judged.is_taken THEN judged.period ELSE 0 END, filled_at = judged.now
    FROM judged WHERE stored.name = judged.name AND (judged.is_taken OR judged.filled_at > judged.now)
), gone AS (
    -- Also callers that did not come when it was their turn, or came before the clock went back.
    DELETE FROM windlass_waiter AS waiter USING judged
    WHERE waiter.name = judged.name AND CASE WHEN waiter.id IS NOT DISTINCT FROM CAST(:waiter AS text)
        THEN judged.is_taken ELSE waiter.until <= judged.now OR waiter.since > judged.now + 10000 END
), waiting AS (
    -- Behind all others also within a millisecond. Moved only when the turn has moved by a second, for a write costs more
    -- than a look.
    INSERT INTO windlass_waiter AS waiter (name, id, since, until)
    SELECT name, CAST(:waiter AS text), greatest(now, coalesce((
        SELECT max(line.since) + 1 FROM windlass_waiter AS line
        -- without those of before the clock went back, which go in this statement
        WHERE line.name = judged.name AND line.since <= judged.now + 10000), 0)), now + due + 10000
    FROM judged
    WHERE CAST(:waiter AS text) IS NOT NULL AND NOT is_taken AND ahead < CAST(:most AS bigint)
    ON CONFLICT (name, id) DO UPDATE SET until = excluded.until WHERE abs(waiter.until - excluded.until) > 1000
)
SELECT CAST(is_taken AS integer), CASE WHEN is_taken THEN 0 ELSE due END, ahead FROM judged

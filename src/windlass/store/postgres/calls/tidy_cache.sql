-- Lets go of cached results that are too many, those first whose time is over first, :limit at a time. Their jobs stay as
-- long as retention keeps them.
-- :per_task, :in_all how many there may be; :bytes how many bytes all of them may have
-- gives dropped
--
-- Takes no lock that another transaction has, so that it never waits; what it skips goes next time.
WITH
-- here clock
, measured AS MATERIALIZED (
    SELECT count(*) AS number, sum(bytes) AS bytes FROM windlass_key
    WHERE cached_for IS NOT NULL AND expires_at > (SELECT now FROM clock)
), ranked AS (
    SELECT key, expires_at, sum(bytes) OVER newest AS bytes, row_number() OVER newest AS number,
        row_number() OVER (PARTITION BY split_part(key, '#', 1) ORDER BY expires_at DESC, key) AS in_task
    FROM windlass_key
    -- Nearly always there is room for all, and they need not be put in order.
    WHERE cached_for IS NOT NULL AND expires_at > (SELECT now FROM clock) AND (
        SELECT measured.number > least(CAST(:per_task AS bigint), CAST(:in_all AS bigint))
            OR measured.bytes > CAST(:bytes AS bigint) FROM measured)
    WINDOW newest AS (ORDER BY expires_at DESC, key ROWS UNBOUNDED PRECEDING)
), excess AS MATERIALIZED (
    SELECT key FROM ranked
    WHERE in_task > CAST(:per_task AS bigint) OR number > CAST(:in_all AS bigint) OR bytes > CAST(:bytes AS bigint)
    ORDER BY expires_at, key LIMIT CAST(:limit AS bigint)
), locked AS MATERIALIZED (
    SELECT key.key FROM windlass_key AS key WHERE key.key = ANY (ARRAY(SELECT excess.key FROM excess))
    AND key.cached_for IS NOT NULL AND key.expires_at IS NOT NULL
    FOR UPDATE SKIP LOCKED
)
DELETE FROM windlass_key WHERE key = ANY (ARRAY(SELECT locked.key FROM locked))
RETURNING 1

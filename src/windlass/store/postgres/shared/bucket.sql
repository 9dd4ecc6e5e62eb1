-- The bucket of the limit :name under its lock, filled until now. The clock is read after the lock was taken, and not when
-- the statement began: what others took meanwhile must not be added a second time. Nothing comes while the clock goes
-- back. No more is added than fills the bucket, so that one of long ago does not count beyond the largest number.
locked AS MATERIALIZED (
    SELECT windlass_limit.* FROM windlass_limit WHERE windlass_limit.name = CAST(:name AS text) FOR UPDATE
), timed AS MATERIALIZED (
    SELECT locked.*, coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)) AS now
    FROM locked
), bucket AS MATERIALIZED (
    SELECT timed.name, timed.amount, timed.period, timed.burst, timed.filled_at, timed.now, least(
        timed.burst * timed.period,
        timed.level + timed.amount
            * least(greatest(0, timed.now - timed.filled_at), timed.burst * timed.period / timed.amount + 1)) AS level
    FROM timed
)

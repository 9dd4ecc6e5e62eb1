-- Sets rate, burst or both, and keeps who did it. A bucket begins full; whole tokens survive a change, as far as there is
-- room for them.
-- :amount, :period, :burst null for what stays as it is
-- :first_burst the burst of a limit that is new and is given none
-- :seen null, or when the caller has seen an operator's last change, 0 for none: nothing happens if there was another
-- gives changed
WITH
-- here clock, bucket
, given AS MATERIALIZED (
    SELECT CAST(:amount AS bigint) AS amount, CAST(:period AS bigint) AS period, CAST(:burst AS bigint) AS burst,
        CAST(:first_burst AS bigint) AS first_burst, CAST(:by AS text) AS by
), changed AS (
    UPDATE windlass_limit AS stored SET (amount, period, burst, filled_at, changed_at, changed_by, level) = (
        SELECT coalesce(given.amount, bucket.amount), coalesce(given.period, bucket.period),
            coalesce(given.burst, bucket.burst), bucket.now, bucket.now, given.by,
            least(coalesce(given.burst, bucket.burst), bucket.level / bucket.period)
                * coalesce(given.period, bucket.period)
        FROM given)
    FROM bucket WHERE stored.name = bucket.name
    AND (CAST(:seen AS bigint) IS NULL OR coalesce(stored.changed_at, 0) = CAST(:seen AS bigint))
    RETURNING stored.name
), added AS (
    INSERT INTO windlass_limit (name, amount, period, burst, level, filled_at, changed_at, changed_by)
    SELECT CAST(:name AS text), given.amount, given.period, coalesce(given.burst, given.first_burst),
        coalesce(given.burst, given.first_burst) * given.period, clock.now, clock.now, given.by
    FROM given, clock WHERE given.amount IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bucket)
    -- One that another call has added since this statement began.
    ON CONFLICT (name) DO UPDATE SET
        amount = excluded.amount, period = excluded.period, burst = excluded.burst, level = excluded.level,
        filled_at = excluded.filled_at, changed_at = excluded.changed_at, changed_by = excluded.changed_by
    WHERE CAST(:seen AS bigint) IS NULL
    RETURNING name
)
SELECT name FROM changed UNION ALL SELECT name FROM added

-- Stores what a worker has gathered, unless it has sent a row with this number, or a higher one, before. Of the rows that
-- no leader merges the newest :kept stay.
-- gives added
--
-- Takes no lock that another transaction has but that of the same worker, of which there is one.
WITH
-- here clock
, source AS (
    INSERT INTO windlass_figure_source AS source (worker, number)
    VALUES (CAST(:worker AS text), CAST(:number AS bigint))
    ON CONFLICT (worker) DO UPDATE SET number = excluded.number WHERE source.number < excluded.number
    RETURNING 1
), gone AS (
    DELETE FROM windlass_figure_row WHERE number = ANY (ARRAY(
        SELECT old.number FROM windlass_figure_row AS old
        WHERE old.number <= (SELECT max(number) FROM windlass_figure_row) - CAST(:kept AS bigint)
        ORDER BY old.number LIMIT 100
        FOR UPDATE SKIP LOCKED))
)
INSERT INTO windlass_figure_row (at, data) SELECT clock.now, CAST(:data AS text) FROM clock, source
RETURNING 1

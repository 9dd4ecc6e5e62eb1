-- Writes buckets and removes the rows that went into them, unless buckets were changed since they were read.
-- :changed rows (FigureBucket)
-- guard stale
-- gives merged
--
-- The lock of the state comes first: of two that merge the second finds another revision.
WITH state AS (
    INSERT INTO windlass_figure_state AS state (id, revision, bytes)
    VALUES (1, CAST(:revision AS bigint) + 1, greatest(0, CAST(:grown AS bigint)))
    ON CONFLICT (id) DO UPDATE SET
        revision = excluded.revision, bytes = greatest(0, state.bytes + CAST(:grown AS bigint))
    WHERE state.revision = CAST(:revision AS bigint)
    RETURNING 1
), gone AS (
    DELETE FROM windlass_figure_row WHERE number = ANY (ARRAY(
        SELECT CAST(value AS bigint) FROM jsonb_array_elements_text(CAST(:merged AS jsonb)) AS merged (value)
        WHERE EXISTS (SELECT 1 FROM state)))
), written AS (
    INSERT INTO windlass_figure ({FigureBucket})
    SELECT {changed.FigureBucket; cast numbers as bigint} FROM jsonb_array_elements(CAST(:changed AS jsonb))
    WHERE EXISTS (SELECT 1 FROM state)
    ON CONFLICT (step, at) DO UPDATE SET data = excluded.data
)
SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM state) THEN '[[1]]' END AS stale, '[[1]]' AS merged

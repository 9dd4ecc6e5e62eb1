-- Removes of each level (step) the buckets that begin before an instant, :limit at a time, and what is known of workers
-- that have sent nothing for long.
-- :bounds rows (step, before) as bound
-- gives pruned
--
-- The lock of the state comes first, as in merge_figures.
WITH state AS MATERIALIZED (
    SELECT revision FROM windlass_figure_state FOR UPDATE
), old AS MATERIALIZED (
    SELECT figure.step, figure.at
    FROM jsonb_array_elements(CAST(:bounds AS jsonb)) AS bound (value) CROSS JOIN LATERAL (
        SELECT step, at FROM windlass_figure
        WHERE step = CAST({bound.step} AS bigint) AND at < CAST({bound.before} AS bigint)
        ORDER BY at LIMIT CAST(:limit AS bigint)) AS figure
    WHERE (SELECT count(*) FROM state) >= 0
), gone AS (
    DELETE FROM windlass_figure AS figure USING old WHERE figure.step = old.step AND figure.at = old.at
    RETURNING length(figure.data) AS bytes
), forgotten AS (
    DELETE FROM windlass_figure_source WHERE worker = ANY (ARRAY(
        SELECT worker FROM windlass_figure_source WHERE number < CAST(:sources_before AS bigint)
        FOR UPDATE SKIP LOCKED))
), changed AS (
    UPDATE windlass_figure_state SET revision = revision + 1,
        bytes = greatest(0, bytes - (SELECT sum(gone.bytes) FROM gone))
    WHERE EXISTS (SELECT 1 FROM gone)
)
SELECT 1 FROM gone

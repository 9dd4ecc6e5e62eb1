-- The oldest rows that are not merged yet, :limit of them behind the first :skip.
-- gives rows
-- gives state
WITH
-- here clock
, found AS (
    SELECT {FigureRow} FROM windlass_figure_row
    ORDER BY number LIMIT CAST(:limit AS bigint) OFFSET CAST(:skip AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({FigureRow}) ORDER BY number), '[]') FROM found) AS rows,
    (SELECT json_build_array(json_build_array(coalesce(state.revision, 0), coalesce(state.bytes, 0), clock.now))
        FROM clock LEFT JOIN windlass_figure_state AS state ON true) AS state

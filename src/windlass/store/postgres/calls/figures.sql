-- The buckets in ranges of time, the first :limit of them.
-- :ranges rows (BucketRange) as wanted
-- gives buckets
-- gives state
WITH found AS (
    SELECT wanted.place, {figure.FigureBucket}
    FROM jsonb_array_elements(CAST(:ranges AS jsonb)) WITH ORDINALITY AS wanted (value, place)
    JOIN windlass_figure AS figure ON figure.step = CAST({wanted.step} AS bigint)
    AND figure.at BETWEEN CAST({wanted.first} AS bigint) AND CAST({wanted.last} AS bigint)
    ORDER BY wanted.place, figure.at LIMIT CAST(:limit AS bigint)
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({FigureBucket}) ORDER BY place, at), '[]') FROM found) AS buckets,
    (SELECT json_build_array(json_build_array(coalesce(max(revision), 0))) FROM windlass_figure_state) AS state

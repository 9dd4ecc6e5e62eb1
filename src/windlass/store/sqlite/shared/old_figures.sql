-- The buckets of each level that begin before its bound, the oldest first, :limit of each: number, bytes.
SELECT number, bytes FROM (
    SELECT figure.rowid AS number, length(figure.data) AS bytes,
        row_number() OVER (PARTITION BY figure.step ORDER BY figure.at) AS place
    FROM jsonb_each(:bounds) AS bound JOIN windlass_figure AS figure
    ON figure.step = {bound.step} AND figure.at < {bound.before})
WHERE place <= :limit

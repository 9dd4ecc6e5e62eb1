-- 1. buckets
-- The buckets in ranges of time, the first :limit of them.
-- :ranges rows (BucketRange) as wanted
-- gives buckets
SELECT {figure.FigureBucket} FROM jsonb_each(:ranges) AS wanted JOIN windlass_figure AS figure
ON figure.step = {wanted.step} AND figure.at BETWEEN {wanted.first} AND {wanted.last}
ORDER BY wanted.key, figure.at LIMIT :limit

-- 2. state
-- gives state
SELECT coalesce(max(revision), 0) FROM windlass_figure_state

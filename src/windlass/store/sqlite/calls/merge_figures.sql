-- 1. stale
-- Nothing is written if buckets were changed since they were read.
-- guard stale
SELECT 1 FROM windlass_figure_state WHERE revision <> :revision

-- 2. state
INSERT INTO windlass_figure_state (id, revision, bytes) VALUES (1, :revision + 1, max(0, :grown))
ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, bytes = max(0, bytes + :grown)

-- 3. remove
-- The rows that went into the buckets.
DELETE FROM windlass_figure_row WHERE number IN (SELECT value FROM jsonb_each(:merged))

-- 4. write
-- :changed rows (FigureBucket)
INSERT INTO windlass_figure ({FigureBucket}) SELECT {changed.FigureBucket} FROM jsonb_each(:changed) WHERE true
ON CONFLICT (step, at) DO UPDATE SET data = excluded.data

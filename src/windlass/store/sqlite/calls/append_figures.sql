-- 1. repeated
-- A row that this worker has sent before, by its number or a higher one, is not stored again.
-- guard repeated
SELECT 1 FROM windlass_figure_source WHERE worker = :worker AND number >= :number

-- 2. source
INSERT INTO windlass_figure_source (worker, number) VALUES (:worker, :number)
ON CONFLICT (worker) DO UPDATE SET number = excluded.number

-- 3. row
-- gives added
INSERT INTO windlass_figure_row (at, data) VALUES (:now, :data) RETURNING 1

-- 4. many
-- The oldest rows beyond :kept, which no leader has merged.
DELETE FROM windlass_figure_row WHERE number <= (SELECT max(number) FROM windlass_figure_row) - :kept

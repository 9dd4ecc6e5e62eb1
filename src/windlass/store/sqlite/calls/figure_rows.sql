-- 1. rows
-- The oldest rows that are not merged yet, :limit of them behind the first :skip.
-- gives rows
SELECT {FigureRow} FROM windlass_figure_row ORDER BY number LIMIT :limit OFFSET :skip

-- 2. state
-- gives state
SELECT coalesce(max(revision), 0), coalesce(max(bytes), 0), :now FROM windlass_figure_state

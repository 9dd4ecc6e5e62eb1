-- The next :limit gates behind :after, by name, at which jobs wait: one step of the index for each.
-- gives gates
WITH RECURSIVE found (gate) AS (
    SELECT min(gate) FROM windlass_job WHERE state = 'blocked' AND gate > :after
    UNION ALL
    SELECT (SELECT min(gate) FROM windlass_job WHERE state = 'blocked' AND gate > found.gate)
    FROM found WHERE found.gate IS NOT NULL LIMIT :limit + 1
)
SELECT gate FROM found WHERE gate IS NOT NULL LIMIT :limit

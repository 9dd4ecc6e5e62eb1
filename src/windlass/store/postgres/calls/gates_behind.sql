-- The next :limit gates behind :after, by name, at which jobs wait: one step of the index for each.
-- gives gates
WITH RECURSIVE found AS (
    (SELECT gate FROM windlass_blocked WHERE gate > CAST(:after AS text) ORDER BY gate LIMIT 1)
    UNION ALL
    SELECT (SELECT next.gate FROM windlass_blocked AS next WHERE next.gate > found.gate ORDER BY next.gate LIMIT 1)
    FROM found WHERE found.gate IS NOT NULL
)
SELECT gate FROM found WHERE gate IS NOT NULL LIMIT CAST(:limit AS bigint)

-- The counters of concurrency keys that are wrong, at most :limit, rows of KeyDrift. A statement sees counters and jobs as of one
-- instant, so there is none unless something is wrong, and no claim is held up. Without keys the pending jobs are not looked at.
-- gives drifted
WITH held AS (
    SELECT holder.gate AS name, CAST(count(*) AS integer) AS number FROM (
        SELECT running.gate FROM windlass_running AS running WHERE running.gate IS NOT NULL
        UNION ALL
        SELECT ready.gate FROM windlass_ready AS ready
        WHERE ready.gate IS NOT NULL AND EXISTS (SELECT 1 FROM windlass_key_gate)) AS holder
    GROUP BY holder.gate
)
SELECT coalesce(gate.name, held.name), coalesce(gate.running, 0), coalesce(held.number, 0)
FROM windlass_key_gate AS gate FULL JOIN held ON held.name = gate.name
WHERE gate.running IS DISTINCT FROM held.number ORDER BY 1 LIMIT CAST(:limit AS bigint)

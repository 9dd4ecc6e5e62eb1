-- The rates of the jobs that this call has blocked open when there is a token for the first. (One that cools down may have
-- no row yet.)
-- :judged rows (queue, state, reason, gate, promised, key, seq) as one
INSERT INTO windlass_rate_gate (name, amount, period, burst, level, filled_at, full_at, opens_at)
SELECT shut.gate, amount, period, burst, burst * period, :now, :now, :now + 1
FROM (SELECT DISTINCT {one.gate} AS gate FROM jsonb_each(:judged) AS one WHERE {one.reason} = 'rate'
    AND {one.state} = 'blocked') AS shut
JOIN windlass_rate_limit ON task = substr(shut.gate, 1, instr(shut.gate, char(9)) - 1)
WHERE true
ON CONFLICT (name) DO UPDATE SET opens_at = min(coalesce(opens_at, 9223372036854775807),
    -- here opening (ahead = 0)
)

-- Every claim takes a token. A bucket that has no row yet was full. Where jobs wait, the next token is due from now on. {own}
-- says which jobs own were taken just now.
INSERT INTO windlass_rate_gate (name, amount, period, burst, level, filled_at, full_at)
SELECT own.rate_key, known.amount, known.period, known.burst, (known.burst - count(*)) * known.period, :now,
    :now + count(*) * known.period / known.amount + 1
FROM windlass_job AS own JOIN windlass_rate_limit AS known
ON known.task = substr(own.rate_key, 1, instr(own.rate_key, char(9)) - 1)
WHERE own.state = 'running' AND {own} AND own.rate_key IS NOT NULL
GROUP BY own.rate_key
ON CONFLICT (name) DO UPDATE SET
    level =
        -- here filled
        - excluded.burst * excluded.period + excluded.level,
    filled_at = :now,
    full_at = :now + (burst * period + excluded.burst * excluded.period - excluded.level - (
        -- here filled
        )) / amount + 1,
    opens_at = min(opens_at, :now + max(1, (period + amount - 1 + excluded.burst * excluded.period - excluded.level - (
        -- here filled
        )) / amount))

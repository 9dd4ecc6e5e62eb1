-- Which of the jobs of begun may run, as far as their concurrency keys go. Needs begun, buckets and put_off, and :gates, rows
-- (key) of the keys that runs give back which this call ends: all are locked together, in order, behind buckets. Of one
-- priority, those come before the others that {first} says. Gives refused, the jobs to be blocked, those that were put off
-- among them.
keyed AS MATERIALIZED (
    SELECT begun.seq, begun.task, begun.concurrency_key AS name, begun.priority, begun.since, begun.queue, begun.suspect,
        begun.start_by,
        row_number() OVER (
            PARTITION BY begun.concurrency_key ORDER BY begun.priority DESC, {first}, begun.since, begun.seq) AS turn
    FROM begun WHERE begun.concurrency_key IS NOT NULL AND begun.id IS NOT NULL AND begun.gate IS NULL
    AND begun.seq NOT IN (SELECT put_off.seq FROM put_off)
), asked_keys AS MATERIALIZED (
    SELECT keyed.name, CAST(count(*) AS integer) AS number, coalesce(max(allowed.number), 1) AS most
    FROM keyed LEFT JOIN LATERAL (
        SELECT coalesce(key.concurrency, key.declared) AS number FROM windlass_key_limit AS key
        WHERE key.task = keyed.task OFFSET 0) AS allowed ON true
    GROUP BY keyed.name
), key_gates AS (
    INSERT INTO windlass_key_gate AS gate (name, running, granted, most)
    SELECT wanted.name, least(sum(wanted.number), max(wanted.most)), least(sum(wanted.number), max(wanted.most)),
        max(wanted.most)
    FROM (
        SELECT asked_keys.name, asked_keys.number, asked_keys.most FROM asked_keys
        UNION ALL
        -- Only locked: the trigger counts what they give back, and deletes the row that is not needed any more.
        SELECT held.name, 0, 0 FROM (
            SELECT {gates.key} AS name FROM jsonb_array_elements(CAST(:gates AS jsonb))
            UNION ALL
            SELECT begun.gate FROM begun WHERE begun.seq IN (SELECT put_off.seq FROM put_off)
        ) AS freed CROSS JOIN LATERAL (
            SELECT gate.name FROM windlass_key_gate AS gate WHERE gate.name = freed.name OFFSET 0) AS held
        WHERE (SELECT count(*) FROM buckets) >= 0
    ) AS wanted
    GROUP BY wanted.name
    ORDER BY wanted.name
    -- What runs here is read under the lock. A limit that was lowered takes nothing away.
    ON CONFLICT (name) DO UPDATE SET
        running = gate.running + greatest(0, least(excluded.granted, excluded.most - gate.running)),
        granted = greatest(0, least(excluded.granted, excluded.most - gate.running)),
        most = CASE WHEN excluded.most > 0 THEN excluded.most ELSE gate.most END
    RETURNING gate.name, gate.granted
), refused AS MATERIALIZED (
    SELECT keyed.seq, keyed.since, keyed.priority, keyed.queue, keyed.suspect, keyed.start_by, keyed.name, 'key' AS reason
    FROM keyed JOIN key_gates ON key_gates.name = keyed.name WHERE keyed.turn > key_gates.granted
    UNION ALL
    SELECT begun.seq, begun.since, begun.priority, begun.queue, begun.suspect, begun.start_by, begun.rate_key, 'rate'
    FROM begun WHERE begun.seq IN (SELECT put_off.seq FROM put_off)
), barred AS (
    UPDATE windlass_job AS job SET waiting = 'blocked', reason = refused.reason
    FROM refused WHERE job.seq = refused.seq AND refused.seq BETWEEN 0 AND 9223372036854775807
), blocked AS (
    INSERT INTO windlass_blocked (seq, since, priority, queue, suspect, start_by, gate)
    SELECT seq, since, priority, queue, suspect, start_by, name FROM refused
)

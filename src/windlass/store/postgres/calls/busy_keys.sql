-- The next :limit concurrency keys behind :after, and before :before if that is given, that jobs hold: by name, each with how
-- many may hold it, how many do, and how many wait for it, counted up to :most; and the first :shown jobs that hold each.
-- gives keys
-- gives holders
WITH busy AS MATERIALIZED (
    SELECT gate.name, gate.running FROM windlass_key_gate AS gate
    WHERE gate.name > CAST(:after AS text) AND (CAST(:before AS text) IS NULL OR gate.name < :before)
    ORDER BY gate.name LIMIT CAST(:limit AS bigint)
), found AS MATERIALIZED (
    SELECT busy.name,
        (SELECT coalesce(max(coalesce(key.concurrency, key.declared)), 1) FROM windlass_key_limit AS key
            WHERE key.task = split_part(busy.name, E'\n', 1)) AS most,
        busy.running AS held,
        (SELECT count(*) FROM (
            SELECT 1 FROM windlass_blocked AS blocked WHERE blocked.gate = busy.name
            LIMIT CAST(:most AS bigint)) AS line) AS waiting
    FROM busy
), holder AS MATERIALIZED (
    -- What runs, and what is pending and holds a key, is little.
    SELECT held.gate, held.seq, held.state, row_number() OVER (PARTITION BY held.gate ORDER BY held.seq) AS place FROM (
        SELECT running.gate, running.seq, 'running' AS state FROM windlass_running AS running
        WHERE running.gate IN (SELECT busy.name FROM busy)
        UNION ALL
        SELECT ready.gate, ready.seq, 'pending' FROM windlass_ready AS ready
        WHERE ready.gate IN (SELECT busy.name FROM busy)) AS held
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(name, most, held, waiting) ORDER BY name), '[]') FROM found) AS keys,
    (SELECT coalesce(json_agg(json_build_array(holder.gate, job.id, holder.state) ORDER BY holder.gate, holder.seq), '[]')
        FROM holder CROSS JOIN LATERAL (SELECT id FROM windlass_job WHERE windlass_job.seq = holder.seq OFFSET 0) AS job
        WHERE holder.place <= CAST(:shown AS bigint)) AS holders

-- The unique keys that jobs still hold, what happened to the jobs, in order, and which of them have steps.
-- gives keys
-- gives events
-- gives stepped
WITH wanted AS MATERIALIZED (
    SELECT seq, id, has_steps FROM windlass_job WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:ids AS jsonb))))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({key.HeldKey}) ORDER BY key.key), '[]')
        FROM windlass_key AS key CROSS JOIN LATERAL (
            SELECT state, attempt, started_at FROM windlass_record AS record
            WHERE record.id = key.id OFFSET 0) AS holder
        WHERE key.id = ANY (ARRAY(SELECT wanted.id FROM wanted)) AND
-- here holds
    ) AS keys,
    (SELECT coalesce(json_agg(json_build_array({event.MovedEvent; id = wanted.id}) ORDER BY event.number), '[]')
        FROM wanted CROSS JOIN LATERAL (
            -- OFFSET 0 keeps the planner from reading all events.
            SELECT * FROM windlass_event AS event WHERE event.seq = wanted.seq OFFSET 0) AS event) AS events,
    (SELECT coalesce(json_agg(json_build_array(wanted.seq, wanted.id) ORDER BY wanted.seq), '[]') FROM wanted
        WHERE wanted.has_steps) AS stepped

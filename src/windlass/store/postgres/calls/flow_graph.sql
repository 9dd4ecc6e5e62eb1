-- What a graph shows of these jobs, and the edges between them, at most :most.
-- gives jobs
-- gives edges
WITH wanted AS MATERIALIZED (
    SELECT CAST(value AS bigint) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({job.FlowJob})), '[]') FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_record AS record WHERE record.seq = wanted.seq OFFSET 0) AS job) AS jobs,
    (SELECT coalesce(json_agg(json_build_array(edge.parent, edge.child, edge.is_open)), '[]') FROM (
        SELECT edge.parent, edge.child, edge.is_open FROM wanted CROSS JOIN LATERAL (
            SELECT edge.parent, edge.child, edge.state < 2 AS is_open FROM windlass_edge AS edge
            WHERE edge.child = wanted.seq ORDER BY edge.place OFFSET 0) AS edge
        WHERE edge.parent IN (SELECT known.seq FROM wanted AS known) LIMIT CAST(:most AS bigint)) AS edge) AS edges

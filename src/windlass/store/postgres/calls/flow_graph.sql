-- What a graph shows of these jobs, and the edges between them, at most :most; the members of a group are parents of its callback.
-- gives jobs
-- gives edges
WITH wanted AS MATERIALIZED (
    SELECT CAST(value AS bigint) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({job.FlowJob})), '[]') FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_record AS record WHERE record.seq = wanted.seq OFFSET 0) AS job) AS jobs,
    (SELECT coalesce(json_agg(json_build_array(edge.parent, edge.child, edge.is_open, edge.is_member)), '[]') FROM (
        SELECT edge.parent, edge.child, edge.is_open, edge.is_member FROM wanted CROSS JOIN LATERAL (
            (SELECT edge.parent, edge.child, edge.state < 2 AS is_open, false AS is_member FROM windlass_edge AS edge
            WHERE edge.child = wanted.seq AND edge.place >= 0 ORDER BY edge.place OFFSET 0)
            UNION ALL
            (SELECT own.member, own.callback, (
                SELECT watch.state < 2 AND own.place >= watch.watched FROM windlass_edge AS watch
                WHERE watch.child = own.callback AND watch.place = -1), true
            FROM windlass_member AS own WHERE own.callback = wanted.seq ORDER BY own.place OFFSET 0)) AS edge
        WHERE edge.parent IN (SELECT known.seq FROM wanted AS known) LIMIT CAST(:most AS bigint)) AS edge) AS edges

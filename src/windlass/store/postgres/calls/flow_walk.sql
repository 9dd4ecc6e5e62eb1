-- The jobs that hang together with :seqs by edges, the nearest first, these included; with :down only those that wait, or
-- waited, for them, however far away. At most :limit: the walk ends when so many are found. Of
-- each group the first :members.
-- gives walked
WITH RECURSIVE flow (seq) AS (
    SELECT CAST(value AS bigint) FROM jsonb_array_elements_text(CAST(:seqs AS jsonb))
    UNION
    SELECT next.seq FROM flow CROSS JOIN LATERAL (
        (SELECT edge.child AS seq FROM windlass_edge AS edge WHERE edge.parent = flow.seq LIMIT CAST(:limit AS bigint))
        UNION ALL
        (SELECT edge.parent FROM windlass_edge AS edge
            WHERE edge.child = flow.seq AND CAST(:down AS integer) = 0 LIMIT CAST(:limit AS bigint))
        UNION ALL
        (SELECT own.callback FROM windlass_member AS own WHERE own.member = flow.seq LIMIT CAST(:limit AS bigint))
        UNION ALL
        (SELECT own.member FROM windlass_member AS own
            WHERE own.callback = flow.seq AND own.place < CAST(:members AS bigint) AND CAST(:down AS integer) = 0
            LIMIT CAST(:limit AS bigint))
    ) AS next
)
SELECT walked.seq, job.state
FROM (SELECT flow.seq FROM flow LIMIT CAST(:limit AS bigint)) AS walked LEFT JOIN LATERAL (
    SELECT record.state FROM windlass_record AS record WHERE record.seq = walked.seq OFFSET 0) AS job ON true

-- The jobs that hang together with :seqs by edges, the nearest first, these included; with :down only those that wait, or
-- waited, for them, however far away. At most :limit, and of
-- each group the first :members.
-- gives walked
WITH RECURSIVE flow (seq) AS (
    SELECT value FROM jsonb_each(:seqs)
    UNION
    SELECT edge.child FROM flow CROSS JOIN windlass_edge AS edge ON edge.parent = flow.seq
    UNION
    SELECT edge.parent FROM flow CROSS JOIN windlass_edge AS edge ON edge.child = flow.seq WHERE NOT :down
    UNION
    SELECT own.callback FROM flow CROSS JOIN windlass_member AS own ON own.member = flow.seq
    UNION
    SELECT own.member FROM flow CROSS JOIN windlass_member AS own ON own.callback = flow.seq
    WHERE NOT :down AND own.place < :members
    LIMIT :limit)
SELECT flow.seq, job.state FROM flow LEFT JOIN windlass_job AS job ON job.seq = flow.seq

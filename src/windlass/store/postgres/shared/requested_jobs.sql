-- The jobs that the call names, in the order in which they are locked. LATERAL, and OFFSET 0, so that a plan that was
-- made for empty tables does not read large ones.
    FROM (
        SELECT DISTINCT CAST(value AS bigint) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb))
    ) AS asked CROSS JOIN LATERAL (
        SELECT * FROM windlass_job WHERE windlass_job.seq = asked.seq OFFSET 0) AS job
    ORDER BY job.seq

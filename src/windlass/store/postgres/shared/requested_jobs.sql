-- The jobs that the call names, in the order in which they are locked. LATERAL, and OFFSET 0, so that a plan that was
-- made for empty tables does not read large ones.
wanted AS MATERIALIZED (
    SELECT job.seq, job.id, job.queue, job.priority, job.run_at, job.waiting, job.reason, job.unique_key, job.concurrency_key, job.fence,
        job.attempt, job.crashes, job.rescues, job.claimed_at, job.started_at, job.worker
    FROM (
        SELECT DISTINCT CAST(value AS bigint) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb))
    ) AS asked CROSS JOIN LATERAL (
        SELECT * FROM windlass_job WHERE windlass_job.seq = asked.seq OFFSET 0) AS job
    ORDER BY job.seq
)

-- The lease of a claim by hand goes with its job. Before the endings, which make the job forget its lease.
-- :by_hand rows (seq, fence), the endings of jobs that were claimed by hand
-- only with by_hand
DELETE FROM windlass_lease WHERE id IN (
    SELECT lease FROM jsonb_each(:by_hand) AS claim JOIN windlass_job ON windlass_job.seq = claim.value ->> 0
    WHERE windlass_job.fence = claim.value ->> 1 AND windlass_job.state = 'running'
    -- a worker's lease, which has no colon, holds other jobs too
    AND instr(lease, ':') > 0)

-- When the leases of those of these jobs that run are over.
-- :jobs rows (seq)
-- gives ends
SELECT held.seq, held.fence, held.expires_at
FROM jsonb_array_elements(CAST(:jobs AS jsonb)) CROSS JOIN LATERAL (
    SELECT running.seq, running.fence, (
        SELECT lease.renewed_at + lease.ttl FROM windlass_lease AS lease WHERE lease.id = running.lease) AS expires_at
    FROM windlass_running AS running WHERE running.seq = CAST({jobs.seq} AS bigint) OFFSET 0) AS held
WHERE held.expires_at IS NOT NULL

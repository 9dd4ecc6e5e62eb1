-- The suspects among them that had begun: one of them is held responsible for the loss of its lease. A claim by hand is
-- none.
-- gives suspects as json
SELECT CAST(json_group_array(json_array(
    suspect.lease, suspect.seq, coalesce(windlass_lease.renewed_at, 0) - suspect.started_at,
    iif(json_valid(suspect.errors), suspect.errors ->> '$.faults[#-1].ran_for', NULL), EXISTS (
        -- a suspect that is not marked has not begun
        SELECT 1 FROM windlass_job AS other
        WHERE other.state = 'running' AND other.lease = suspect.lease AND other.seq <> suspect.seq
        AND (other.started_at IS NOT NULL OR other.crashes + other.rescues = 0)))) AS BLOB)
FROM windlass_job AS suspect LEFT JOIN windlass_lease ON windlass_lease.id = suspect.lease
WHERE suspect.state = 'running' AND suspect.crashes + suspect.rescues > 0 AND suspect.started_at IS NOT NULL
AND instr(coalesce(suspect.lease, ':'), ':') = 0 AND NOT EXISTS (
    SELECT 1 FROM windlass_lease
    WHERE id = suspect.lease AND state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)

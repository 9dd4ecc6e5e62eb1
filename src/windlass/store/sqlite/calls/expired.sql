-- 1. jobs
-- Running jobs behind :after that no open lease in time covers; a lease that is not there counts as expired. The
-- page ends at :limit jobs or :bytes of errors; those are added up without the errors, which would all be kept meanwhile.
-- gives expired as json
SELECT CAST(json_group_array(json_array({Expired;
    is_charged = instr(coalesce(lease, ''), ':') > 0;
    was_started = started_at IS NOT NULL;
    worker = windlass_job.worker;
    ran_for = max(0, coalesce(windlass_lease.renewed_at + windlass_lease.ttl, :now) - started_at);
    blamed = windlass_lease.blamed})) AS BLOB)
FROM (
    SELECT seq AS number, sum(coalesce(octet_length(errors), 0)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
        - coalesce(octet_length(errors), 0) AS before
    FROM windlass_job
    WHERE state = 'running' AND seq > :after AND NOT EXISTS (
        SELECT 1 FROM windlass_lease WHERE id = windlass_job.lease AND
        -- here live_lease
    )
    -- the plus keeps the planner from walking all jobs in the order of seq; those that run have an index
    ORDER BY +seq LIMIT :limit
) CROSS JOIN windlass_job ON seq = number LEFT JOIN windlass_lease ON windlass_lease.id = windlass_job.lease
WHERE before < :bytes

-- 2. suspects
-- The suspects among them that had begun: one of them is held responsible for the loss of its lease. A manual claim is
-- none.
-- gives suspects as json
SELECT CAST(json_group_array(json_array({suspect.StartedSuspect;
    ran_for = coalesce(windlass_lease.renewed_at, 0) - suspect.started_at;
    fatal_run = iif(json_valid(suspect.errors), suspect.errors ->> '$.faults[#-1].ran_for', NULL);
    has_company = EXISTS (
        -- a suspect that is not marked has not begun
        SELECT 1 FROM windlass_job AS other
        WHERE other.state = 'running' AND other.lease = suspect.lease AND other.seq <> suspect.seq
        AND (other.started_at IS NOT NULL OR other.crashes + other.rescues = 0))})) AS BLOB)
FROM windlass_job AS suspect LEFT JOIN windlass_lease ON windlass_lease.id = suspect.lease
WHERE suspect.state = 'running' AND suspect.crashes + suspect.rescues > 0 AND suspect.started_at IS NOT NULL
AND instr(coalesce(suspect.lease, ':'), ':') = 0 AND NOT EXISTS (
    SELECT 1 FROM windlass_lease WHERE id = suspect.lease AND
    -- here live_lease
)

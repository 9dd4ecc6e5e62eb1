-- In how many milliseconds the next job is due and the next lease that holds something is over; a running job without
-- an open lease is overdue. And the time from which that is counted, how many workers have a lease in time, and the
-- first of these leases; those of claims by hand have a colon in their names.
-- gives upcoming
SELECT
    (SELECT min(run_at) FROM windlass_job WHERE state IN ('scheduled', 'retrying')) - :now,
    (SELECT min(iif(windlass_lease.state = 'open' AND renewed_at - ttl <= :now, renewed_at + ttl, :now)) - :now
        FROM (SELECT DISTINCT lease FROM windlass_job WHERE state = 'running') AS held
        LEFT JOIN windlass_lease ON windlass_lease.id = held.lease),
    :now,
    count(*), min(id)
FROM windlass_lease
WHERE state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl AND instr(id, ':') = 0

-- A lost lease whose jobs are all free has done its duty as a marker for its owner after a day; that of a claim by hand
-- goes with its job.
DELETE FROM windlass_lease WHERE state = 'lost' AND (
    renewed_at < :now - 86400000 OR (id IN (SELECT value FROM jsonb_each(:leases)) AND instr(id, ':') > 0))

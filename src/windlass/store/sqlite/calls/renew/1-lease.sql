-- Prolongs a lease. Time alone does not end it: as long as nobody has rescued its jobs it may be renewed, however late.
UPDATE windlass_lease SET renewed_at = :now WHERE id = :lease AND state = 'open'

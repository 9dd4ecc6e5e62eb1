-- gives open
SELECT EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open')

-- A clean stop disappears at once.
DELETE FROM windlass_worker WHERE id = :worker

-- Nothing is taken under a lease that is closed or over.
AND EXISTS (
    SELECT 1 FROM windlass_lease WHERE id = :lease AND
    -- here live_lease
)

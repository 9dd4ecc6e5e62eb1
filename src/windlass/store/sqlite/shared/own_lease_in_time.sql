-- Nothing is taken under a lease that is closed or over.
AND EXISTS (
    SELECT 1 FROM windlass_lease
    WHERE id = :lease AND state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)

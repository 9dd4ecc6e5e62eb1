-- Whether this term is still the leader's, in time.
-- gives leads
SELECT EXISTS (
    SELECT 1 FROM windlass_leader WHERE duty = :duty AND holder = :holder AND term = :term
    AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)

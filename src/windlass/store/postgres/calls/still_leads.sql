-- Whether this term is still the leader's, in time.
-- gives leads
WITH
-- here clock
SELECT EXISTS (
    SELECT 1 FROM windlass_leader AS leader
    WHERE leader.duty = :duty AND leader.holder = :holder AND leader.term = CAST(:term AS bigint)
    AND leader.renewed_at - leader.ttl <= clock.now AND clock.now < leader.renewed_at + leader.ttl)
FROM clock

-- 1. take
-- Takes the lead where it is free or has expired, or keeps it. The term grows whenever the leader changes.
INSERT INTO windlass_leader (duty, holder, term, ttl, renewed_at) VALUES (:duty, :holder, 1, :ttl, :now)
ON CONFLICT (duty) DO UPDATE SET
    term = term + iif(holder = :holder, 0, 1), holder = :holder, ttl = :ttl, renewed_at = :now
WHERE holder = :holder OR NOT (renewed_at - ttl <= :now AND :now < renewed_at + ttl)

-- 2. leader
-- gives leader
SELECT holder, term, renewed_at + ttl - :now FROM windlass_leader WHERE duty = :duty

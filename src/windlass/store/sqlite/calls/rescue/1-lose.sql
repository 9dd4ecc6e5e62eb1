-- Ends the leases that are over. Until this is committed their owners may still renew them.
UPDATE windlass_lease SET state = 'lost'
WHERE id IN (SELECT value FROM jsonb_each(:leases)) AND state = 'open'
AND NOT (renewed_at - ttl <= :now AND :now < renewed_at + ttl)

-- Ends the leases that are over. Until this is committed their owners may still renew them. Which job is held responsible
-- for the loss stays with the lease: the first decision counts.
-- :culprits rows (lease, seq)
UPDATE windlass_lease SET
    state = 'lost',
    blamed = coalesce(blamed, (
        SELECT culprit.value ->> 1 FROM jsonb_each(:culprits) AS culprit WHERE culprit.value ->> 0 = windlass_lease.id))
WHERE id IN (SELECT value FROM jsonb_each(:leases))
AND NOT (state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)

-- 1. stale
-- Nothing is written by a process that leads no more.
-- guard stale
SELECT 1 WHERE NOT EXISTS (
    SELECT 1 FROM windlass_leader WHERE duty = :duty AND holder = :holder AND term = :term
    AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)

-- 2. fire
-- Of each rule and subject one alert is open at a time.
-- :fired rows (AlertRecord)
-- only with fired
-- gives fired
INSERT INTO windlass_alert ({AlertRecord}) SELECT {fired.AlertRecord} FROM jsonb_each(:fired) WHERE true
ON CONFLICT DO NOTHING
RETURNING id

-- 3. resolve
-- :resolved rows (id)
-- only with resolved
-- gives resolved
UPDATE windlass_alert SET state = 'resolved', resolved_at = :now
WHERE id IN (SELECT {resolved.id} FROM jsonb_each(:resolved)) AND resolved_at IS NULL
RETURNING id

-- 4. unsilence
-- They fired in a silence that is over, and are told now.
-- :unsilenced rows (id)
-- only with unsilenced
UPDATE windlass_alert SET silenced_until = NULL
WHERE id IN (SELECT {unsilenced.id} FROM jsonb_each(:unsilenced)) AND resolved_at IS NULL

-- 5. deliver
-- only with deliveries
-- here alert_deliveries

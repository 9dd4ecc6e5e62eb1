-- The newest alerts that a filter lets through, of those with an id below :before.
-- gives alerts
SELECT {AlertRecord} FROM windlass_alert
WHERE (:before IS NULL OR id < :before) AND (:id IS NULL OR (id >= :id AND id < :id || '~'))
AND (:rule IS NULL OR rule = :rule) AND (:severity IS NULL OR severity = :severity)
AND (:since IS NULL OR fired_at >= :since)
AND (json_array_length(:states) = 0 OR state IN (SELECT value FROM jsonb_each(:states)))
ORDER BY id DESC LIMIT :limit

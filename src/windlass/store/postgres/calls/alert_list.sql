-- The newest alerts that a filter lets through, of those with an id below :before.
-- gives alerts
SELECT {AlertRecord} FROM windlass_alert
WHERE (CAST(:before AS text) IS NULL OR id < CAST(:before AS text))
AND (CAST(:id AS text) IS NULL OR (id >= CAST(:id AS text) AND id < CAST(:id AS text) || '~'))
AND (CAST(:rule AS text) IS NULL OR rule = CAST(:rule AS text))
AND (CAST(:severity AS text) IS NULL OR severity = CAST(:severity AS text))
AND (CAST(:since AS bigint) IS NULL OR fired_at >= CAST(:since AS bigint))
AND (jsonb_array_length(CAST(:states AS jsonb)) = 0
    OR state IN (SELECT jsonb_array_elements_text(CAST(:states AS jsonb))))
ORDER BY id DESC LIMIT CAST(:limit AS bigint)

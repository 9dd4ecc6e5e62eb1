-- The newest entries, of those with a smaller number than :before, if there is one.
-- gives entries
SELECT {AuditRecord} FROM windlass_audit WHERE :before IS NULL OR number < :before ORDER BY number DESC LIMIT :limit

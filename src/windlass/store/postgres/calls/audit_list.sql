-- The newest entries, of those with a smaller number than :before, if there is one.
-- gives entries
SELECT {AuditRecord} FROM windlass_audit WHERE CAST(:before AS bigint) IS NULL OR number < CAST(:before AS bigint)
ORDER BY number DESC LIMIT CAST(:limit AS bigint)

-- 1. keep
-- One process of a version writes for all of them.
UPDATE windlass_code_version SET seen_at = :now
WHERE version = :version AND NOT seen_at BETWEEN :now - :written_after AND :now

-- 2. kept
-- gives kept
SELECT 1 FROM windlass_code_version WHERE version = :version

-- 1. forget
-- Versions of the code that have not run for long.
DELETE FROM windlass_code_version WHERE seen_at < :now - :forgotten_after AND version <> :version

-- 2. declare
-- When it was first seen stays.
INSERT INTO windlass_code_version (version, first_seen, seen_at, declared) VALUES (:version, :now, :now, :declared)
ON CONFLICT (version) DO UPDATE SET seen_at = excluded.seen_at

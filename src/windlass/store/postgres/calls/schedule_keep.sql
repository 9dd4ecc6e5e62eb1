-- Says that a process of a version lives. One process of a version writes for all of them.
-- gives kept
WITH
-- here clock
, kept AS (
    UPDATE windlass_code_version AS version SET seen_at = clock.now FROM clock
    WHERE version.version = :version
    AND NOT version.seen_at BETWEEN clock.now - CAST(:written_after AS bigint) AND clock.now
)
SELECT 1 FROM windlass_code_version WHERE version = :version

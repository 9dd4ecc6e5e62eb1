-- Says what a version of the code declares. When it was first seen stays. Versions that have not run for long go.
WITH
-- here clock
, forgotten AS (
    DELETE FROM windlass_code_version AS old USING clock
    WHERE old.seen_at < clock.now - CAST(:forgotten_after AS bigint) AND old.version <> :version
)
INSERT INTO windlass_code_version (version, first_seen, seen_at, declared)
SELECT :version, clock.now, clock.now, :declared FROM clock
ON CONFLICT (version) DO UPDATE SET seen_at = excluded.seen_at

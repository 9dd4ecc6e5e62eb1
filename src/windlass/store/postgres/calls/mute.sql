-- Mutes a cause, in the place of an earlier mute; :lasts null until the next deploy; :most how many may last.
-- gives muted
WITH
-- here clock
INSERT INTO windlass_mute ({MuteRecord})
SELECT CAST(:cause AS text), now, CAST(:by AS text), CAST(:reason AS text), now + CAST(:lasts AS bigint)
FROM clock
WHERE EXISTS (SELECT 1 FROM windlass_mute AS known WHERE known.cause = CAST(:cause AS text))
OR CAST(:most AS bigint) > (
    -- Those that are over take no place; tidying removes them.
    SELECT count(*) FROM windlass_mute AS known WHERE known.ends_at IS NULL OR now < known.ends_at)
ON CONFLICT (cause) DO UPDATE SET
    muted_at = excluded.muted_at, muted_by = excluded.muted_by, reason = excluded.reason, ends_at = excluded.ends_at
RETURNING {MuteRecord}

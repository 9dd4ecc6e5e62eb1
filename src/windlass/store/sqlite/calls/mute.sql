-- 1. over
-- Those that are over take no place.
DELETE FROM windlass_mute WHERE ends_at <= :now

-- 2. mute
-- Mutes a cause, in the place of an earlier mute; :lasts null until the next deploy; :most how many there may be.
-- gives muted
INSERT INTO windlass_mute ({MuteRecord})
SELECT :cause, :now, :by, :reason, :now + :lasts
WHERE EXISTS (SELECT 1 FROM windlass_mute WHERE cause = :cause) OR (SELECT count(*) FROM windlass_mute) < :most
ON CONFLICT (cause) DO UPDATE SET
    muted_at = excluded.muted_at, muted_by = excluded.muted_by, reason = excluded.reason, ends_at = excluded.ends_at
RETURNING {MuteRecord}

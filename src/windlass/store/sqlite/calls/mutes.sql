-- The mutes that last, the oldest first.
-- gives mutes
SELECT {MuteRecord} FROM windlass_mute WHERE ends_at IS NULL OR :now < ends_at ORDER BY muted_at, cause

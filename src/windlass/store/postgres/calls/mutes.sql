-- The mutes that last, the oldest first.
-- gives mutes
WITH
-- here clock
SELECT {MuteRecord} FROM windlass_mute, clock WHERE ends_at IS NULL OR now < ends_at ORDER BY muted_at, cause

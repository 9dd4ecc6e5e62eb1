-- Ends the mutes of :causes, or only of those that began before :before; gives those that there were.
-- gives unmuted
DELETE FROM windlass_mute WHERE cause IN (SELECT value FROM jsonb_each(:causes))
AND (:before IS NULL OR muted_at < :before)
RETURNING cause

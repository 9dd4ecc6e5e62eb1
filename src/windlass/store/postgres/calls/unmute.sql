-- Ends the mutes of :causes, or only of those that began before :before; gives those that there were.
-- gives unmuted
DELETE FROM windlass_mute WHERE cause = ANY (ARRAY(
    SELECT wanted.cause FROM jsonb_array_elements_text(CAST(:causes AS jsonb)) AS wanted (cause)))
AND (CAST(:before AS bigint) IS NULL OR muted_at < CAST(:before AS bigint))
RETURNING cause

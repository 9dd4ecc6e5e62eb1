-- Notes that a token was used, unless that was noted within :every.
WITH
-- here clock
UPDATE windlass_token SET used_at = clock.now FROM clock
WHERE digest = CAST(:digest AS text) AND (used_at IS NULL OR used_at <= clock.now - CAST(:every AS bigint))

-- Notes that a token was used, unless that was noted within :every.
UPDATE windlass_token SET used_at = :now WHERE digest = :digest AND (used_at IS NULL OR used_at <= :now - :every)

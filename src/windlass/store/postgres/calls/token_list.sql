-- One token, or all by name; and the time.
-- gives tokens
-- gives now
WITH
-- here clock
SELECT (SELECT coalesce(json_agg(json_build_array({TokenRecord}) ORDER BY name), '[]') FROM windlass_token
        WHERE CAST(:name AS text) IS NULL OR name = :name) AS tokens,
    (SELECT json_build_array(json_build_array(now)) FROM clock) AS now

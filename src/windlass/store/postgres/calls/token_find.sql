-- The token with a digest, valid or not; and the time.
-- gives tokens
-- gives now
WITH
-- here clock
SELECT (SELECT coalesce(json_agg(json_build_array({TokenRecord})), '[]') FROM windlass_token
        WHERE digest = CAST(:digest AS text)) AS tokens,
    (SELECT json_build_array(json_build_array(now)) FROM clock) AS now

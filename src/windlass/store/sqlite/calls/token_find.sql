-- 1. token
-- The token with a digest, valid or not.
-- gives tokens
SELECT {TokenRecord} FROM windlass_token WHERE digest = :digest

-- 2. now
-- gives now
SELECT :now

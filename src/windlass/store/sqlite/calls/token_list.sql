-- 1. tokens
-- One token, or all by name.
-- gives tokens
SELECT {TokenRecord} FROM windlass_token WHERE :name IS NULL OR name = :name ORDER BY name

-- 2. now
-- gives now
SELECT :now

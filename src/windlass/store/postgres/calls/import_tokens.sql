-- Keeps tokens of another store; a name or a digest that is there already stays as it is.
-- :tokens rows (TokenRecord)
INSERT INTO windlass_token ({TokenRecord})
SELECT {tokens.TokenRecord; cast numbers as bigint} FROM jsonb_array_elements(CAST(:tokens AS jsonb))
ON CONFLICT DO NOTHING

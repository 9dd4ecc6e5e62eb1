-- Keeps tokens of another store; a name or a digest that is there already stays as it is.
-- :tokens rows (TokenRecord)
INSERT INTO windlass_token ({TokenRecord}) SELECT {tokens.TokenRecord} FROM jsonb_each(:tokens) WHERE true
ON CONFLICT DO NOTHING

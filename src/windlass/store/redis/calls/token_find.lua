-- The token with a digest, valid or not.
-- KEYS tokens
-- without epoch
-- asks digest
-- gives tokens: at most one row (TokenRecord); now: one row (milliseconds since 1970)
-- with tokens
return {'tokens', {TOKENS.read(ask.digest)}, 'now', {{now}}}

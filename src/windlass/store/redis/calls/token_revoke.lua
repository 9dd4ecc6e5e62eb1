-- Lets a token open nothing from now on; who was the first to revoke it stays.
-- KEYS counts, tokens
-- asks name, by
-- gives revoked: one row (name), if there is such a token
-- with allow_oom, tokens
local digest = redis.call('HGET', KEY.tokens, ask.name)
local token = digest and TOKENS.read(digest) -- row (TokenRecord) as token
if not token then return {'revoked', {}} end
if not token.revoked_at then
    redis.call('HSET', TOKENS.key(digest), 'revoked_at', stamp, 'revoked_by', ask.by)
end
return {'revoked', {{ask.name}}}

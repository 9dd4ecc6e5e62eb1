-- Notes that a token was used, unless that was noted within `every`.
-- KEYS tokens
-- asks digest, every
-- gives nothing
-- with tokens
local token = TOKENS.read(ask.digest) -- row (TokenRecord) as token
if token and not (token.used_at and token.used_at > now - ask.every) then
    redis.call('HSET', TOKENS.key(ask.digest), 'used_at', stamp)
end
return {}

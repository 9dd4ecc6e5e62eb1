-- Stores a token. One that was revoked or has expired gives its name to the new one; a valid one keeps it, unless it is
-- the same.
-- KEYS tokens
-- asks name, digest, role, by; queues: JSON, or null; ttl: null for one that does not expire; most: how many there may be
-- gives added: one row (name), unless the name is taken or there are too many
-- with tokens
local old = redis.call('HGET', KEY.tokens, ask.name)
if not old and redis.call('HLEN', KEY.tokens) >= ask.most then return {'added', {}} end
if old and old ~= ask.digest then
    local token = TOKENS.read(old) -- row (TokenRecord) as token
    if token and not token.revoked_at and not (token.expires_at and token.expires_at <= now) then
        return {'added', {}}
    end
    TOKENS.remove(ask.name, old)
end
local fields = {'role', ask.role, 'created_at', stamp, 'created_by', ask.by}
local function add(name, value)
    fields[#fields + 1] = name
    fields[#fields + 1] = value
end
if ask.queues then add('queues', ask.queues) end
if ask.ttl then add('expires_at', written(now + ask.ttl)) end
TOKENS.write(ask.name, ask.digest, fields)
return {'added', {{ask.name}}}

-- Keeps tokens of another store; a name or a digest that is there already stays as it is.
-- KEYS tokens
-- asks tokens: rows (TokenRecord) as token
-- gives nothing
-- with tokens
for _, token in ipairs(ask.tokens) do
    local is_taken = redis.call('HEXISTS', KEY.tokens, token.name) == 1 or TOKENS.read(token.digest)
    if not is_taken then
        local fields = {'role', token.role, 'created_at', written(token.created_at), 'created_by', token.created_by}
        local function add(name, value)
            if not value then return end
            fields[#fields + 1] = name
            fields[#fields + 1] = value
        end
        add('queues', token.queues)
        add('expires_at', token.expires_at and written(token.expires_at))
        add('used_at', token.used_at and written(token.used_at))
        add('revoked_at', token.revoked_at and written(token.revoked_at))
        add('revoked_by', token.revoked_by)
        TOKENS.write(token.name, token.digest, fields)
    end
end
return {}

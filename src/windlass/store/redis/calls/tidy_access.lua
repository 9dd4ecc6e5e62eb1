-- Removes tokens that were revoked, or have expired, longer ago than `gone_for`; entries of the audit that are older than
-- `kept_for`, `limit` of each at a time. What is beyond `most` goes when an entry is added.
-- KEYS counts, tokens, audit
-- asks gone_for, kept_for, most, limit
-- gives tokens, old: a row for each that was removed
-- with allow_oom, tokens
local tokens, old = {}, {}
for _, name in ipairs(redis.call('HKEYS', KEY.tokens)) do
    local digest = redis.call('HGET', KEY.tokens, name)
    local token = TOKENS.read(digest) -- row (TokenRecord) as token
    local before = now - ask.gone_for
    if not token or (token.revoked_at or now) < before or (token.expires_at or now) < before then
        TOKENS.remove(name, digest)
        tokens[#tokens + 1] = {1}
    end
end
for _, entry in ipairs(redis.call('ZRANGE', KEY.audit, 0, ask.limit - 1)) do
    if cjson.decode(entry)[{AuditRecord.at}] >= now - ask.kept_for then break end
    redis.call('ZREM', KEY.audit, entry)
    old[#old + 1] = {1}
end
return {'tokens', tokens, 'old', old}

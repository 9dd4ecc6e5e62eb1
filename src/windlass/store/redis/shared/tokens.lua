-- Tokens of the HTTP API. A table, because a script has few names of its own.
-- Needs KEY.tokens.
local TOKENS = {}

function TOKENS.key(digest) return prefix .. 'token:' .. digest end

-- The token with a digest as a row of TokenRecord, or nil.
function TOKENS.read(digest)
    local found = redis.call('HMGET', TOKENS.key(digest), {
        found: name, role, queues, created_at, created_by, expires_at, used_at, revoked_at, revoked_by})
    if not found.name then return nil end
    return {
        TokenRecord; name = found.name; digest = digest; role = found.role; queues = found.queues;
        created_at = tonumber(found.created_at); created_by = found.created_by;
        expires_at = tonumber(found.expires_at) or false; used_at = tonumber(found.used_at) or false;
        revoked_at = tonumber(found.revoked_at) or false; revoked_by = found.revoked_by;
    }
end

-- fields: names and values in turn, without what is null
function TOKENS.write(name, digest, fields)
    redis.call('DEL', TOKENS.key(digest))
    redis.call('HSET', TOKENS.key(digest), 'name', name, unpack(fields))
    redis.call('HSET', KEY.tokens, name, digest)
end

function TOKENS.remove(name, digest)
    redis.call('HDEL', KEY.tokens, name)
    redis.call('DEL', TOKENS.key(digest))
end

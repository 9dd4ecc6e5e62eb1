-- Says what a version of the code declares. When it was first seen stays. Versions that have not run for long go.
-- KEYS code_versions
-- asks version, declared, forgotten_after
-- gives nothing
-- with code_versions
for _, version in ipairs(redis.call(
    'ZRANGEBYSCORE', KEY.code_versions, '-inf', '(' .. written(now - ask.forgotten_after))) do
    if version ~= ask.version then
        redis.call('ZREM', KEY.code_versions, version)
        redis.call('UNLINK', code_version_key(version))
    end
end
redis.call('ZADD', KEY.code_versions, stamp, ask.version)
redis.call('HSETNX', code_version_key(ask.version), 'first_seen', stamp)
redis.call('HSET', code_version_key(ask.version), 'declared', ask.declared)
return {}

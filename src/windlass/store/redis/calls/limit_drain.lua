-- Empties a bucket.
-- KEYS counts, limits
-- asks name
-- gives drained: one row (name), if there is such a limit
-- with allow_oom, buckets
if not read_limit(ask.name) then return {'drained', {}} end
write_level(ask.name, 0)
return {'drained', {{ask.name}}}

-- One token, or all by name.
-- KEYS tokens
-- without epoch
-- asks name (or null for all)
-- gives tokens: rows (TokenRecord); now: one row (milliseconds since 1970)
-- with tokens
local names = {ask.name}
if not ask.name then
    names = redis.call('HKEYS', KEY.tokens)
    table.sort(names)
end
local rows = {}
for _, name in ipairs(names) do
    local digest = redis.call('HGET', KEY.tokens, name)
    rows[#rows + 1] = digest and TOKENS.read(digest) or nil
end
return {'tokens', rows, 'now', {{now}}}

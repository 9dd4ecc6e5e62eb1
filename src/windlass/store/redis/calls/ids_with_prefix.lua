-- Ids that begin with a text. There is no order among ids here, so all are read, a slice at a time: no other
-- call is served meanwhile.
-- KEYS ids
-- without epoch
-- asks prefix; cursor: where the slice begins, '0' at first; slice: about how many ids it has
-- gives ids: rows (id); next: one row (the cursor of the next slice, '0' after the last)
local wanted = string.gsub(ask.prefix, '[%*%?%[%]%\\]', '\\%0')
-- row (next, ids) as found
local found = redis.call('HSCAN', KEY.ids, ask.cursor, 'MATCH', wanted .. '*', 'COUNT', ask.slice)
local rows = {}
for index = 1, #found.ids, 2 do rows[#rows + 1] = {found.ids[index]} end
return {'ids', rows, 'next', {{found.next}}}

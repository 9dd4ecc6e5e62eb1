-- Records a change that a person or a program has made; of more than `most` the oldest go.
-- KEYS counts, audit
-- asks who, via, action, target, count, most
-- gives nothing
-- with allow_oom
-- row (member, number) as newest
local newest = redis.call('ZREVRANGE', KEY.audit, 0, 0, 'WITHSCORES')
local number = (tonumber(newest.number) or 0) + 1
-- Numbers are written whole, where cjson would round long ones.
local texts = cjson.encode({ask.who, ask.via, ask.action, ask.target})
local entry = string.format('[%s,%s,%s,%s]', written(number), stamp, texts:sub(2, -2), written(ask.count))
redis.call('ZADD', KEY.audit, written(number), entry)
redis.call('ZREMRANGEBYRANK', KEY.audit, 0, -ask.most - 1)
return {}

-- What every call is given.
-- ARGV[1]: now in milliseconds since 1970, or '' in production: then the server's clock counts, so hosts may be skewed
-- ARGV[2]: what every key begins with, {tag}:
-- ARGV[3]: the epoch (see epoch.lua)
local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local prefix = ARGV[2]

-- Numbers on the busy paths are written out here: Redis 7 prints others as floats, 0.4 µs each, a third of a command.
local function written(number) return string.format('%d', number) end
local stamp = written(now)

local function job_key(seq) return prefix .. 'job:' .. seq end
local function text_key(what, seq) return prefix .. what .. ':' .. seq end

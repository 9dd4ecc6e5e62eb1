-- What every call is given.
-- ARGV.now: milliseconds since 1970, or '' in production: then the server's clock counts, so hosts may be skewed
-- ARGV.prefix: what every key begins with, {tag}:
-- ARGV.epoch: see epoch.lua
local now = tonumber(ARGV.now)
if not now then
    local time = redis.call('TIME') -- row (seconds, microseconds) as time
    now = time.seconds * 1000 + math.floor(time.microseconds / 1000)
end
local prefix = ARGV.prefix

-- Numbers on the busy paths are written out here: Redis 7 prints others as floats, 0.4 µs each, a third of a command.
local function written(number) return string.format('%d', number) end
local stamp = written(now)

local function job_key(seq) return prefix .. 'job:' .. seq end
local function text_key(what, seq) return prefix .. what .. ':' .. seq end

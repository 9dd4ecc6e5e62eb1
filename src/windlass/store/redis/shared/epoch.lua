-- Every script that writes carries the epoch that its caller believes in, and is refused before it writes anything if
-- the store has another one: the server was started anew or emptied, and may have lost what it did last (see KEYS.md).
local epoch = redis.call('HGET', KEY.epoch, 'epoch')
if epoch ~= ARGV.epoch then return redis.error_reply('EPOCH ' .. (epoch or 0)) end

-- A fence that the job has not carried yet, also not in what a server has forgotten. A job that is taken more often
-- than this in one epoch runs on into the numbers of later ones; no job is taken 4,096 times in a millisecond, which is
-- the step between epochs, so it never catches up with the clock.
local FENCES_OF_AN_EPOCH = 4096
local function next_fence(fence) return math.max((tonumber(fence) or 0) + 1, epoch * FENCES_OF_AN_EPOCH + 1) end

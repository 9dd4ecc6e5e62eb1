-- Begins a cool-down, or makes one longer that lasts. Only a run that its job still carries may do that, and once.
-- KEYS counts, cooldowns
-- asks scope, name, seq, fence, run, job, reason, base, longest, quiet; chosen: how long it lasts, or null
-- gives cooling: one row (Cooling), if the job runs under this fence
-- with allow_oom, cooldowns, buckets, lease
if not lease_of(ask.seq, ask.fence) then return {'cooling', {}} end
local key, base = COOLDOWNS.key(ask.scope, ask.name), ask.base
local found = redis.call('HMGET', key, {found: began_at, ends_at, step, run})
local began_at, ends_at, step = tonumber(found.began_at), tonumber(found.ends_at), tonumber(found.step)
local run = found.run

-- As core/rates/cooldown.py: next_step.
local function next_step()
    if not step then return base end
    local quiet = now - ends_at
    local length = quiet < ask.quiet and 2 * step or math.floor(step / 2 ^ math.floor(quiet / ask.quiet))
    return math.min(ask.longest, math.max(base, length))
end

local lasts = ends_at and began_at <= now and now < ends_at
local is_later = lasts and ask.chosen and ends_at < now + ask.chosen
if run ~= ask.run and (not lasts or is_later) then
    if not ask.chosen then step = next_step() end
    if not lasts then began_at = now end
    run, ends_at = ask.run, now + (ask.chosen or step)
    redis.call('ZADD', KEY.cooldowns, written(ends_at), ask.scope .. ':' .. ask.name)
    redis.call(
        'HSET', key, 'began_at', written(began_at), 'ends_at', written(ends_at), 'run', run, 'job', ask.job, 'reason',
        ask.reason)
    if step then redis.call('HSET', key, 'step', written(step)) end
end
local is_known = ask.scope ~= 'limit' or redis.call('EXISTS', limit_key(ask.name)) == 1
return {'cooling', {{
    Cooling; left = math.max(0, ends_at - now); is_new = run == ask.run and 1 or 0; is_known = is_known and 1 or 0}}}

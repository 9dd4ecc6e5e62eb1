-- The settings of a queue that an operator has changed: setting -> {at, by}, kept as JSON text of our own. Earlier releases do
-- not keep it: of a queue that was changed with one of them all settings count as changed. So whatever writes changed_at writes
-- this first, be it empty. What cannot be read is begun anew.
-- with paused
local DECIDED = {settings = {'weight', 'max_length', 'max_running', 'retention', 'retry', 'cooldown', 'rate'}}
function DECIDED.of(queue)
    local found = redis.call('HMGET', queue_key(queue), {found: decided, changed_at, changed_by})
    if not found.decided and found.changed_at then
        local all = {}
        for _, setting in ipairs(DECIDED.settings) do
            all[setting] = {tonumber(found.changed_at), found.changed_by or ''}
        end
        return all
    end
    local is_read, settings = pcall(cjson.decode, found.decided or '{}')
    return is_read and type(settings) == 'table' and settings or {}
end
function DECIDED.keep(queue, settings) redis.call('HSET', queue_key(queue), 'decided', cjson.encode(settings)) end

-- The steps of a job: a hash, by name. What is kept of each is a line of numbers, where - stands for null, a line with the
-- event that it waits for, and behind a = its result. The job's field steps is empty if there is such a hash.
local function steps_key(seq) return text_key('steps', seq) end

local function step_text(given)
    local function number(value) return value and written(value) or '-' end
    return table.concat({
        number(given.number), given.kind, number(given.fence), number(given.began_at), number(given.ended_at),
        number(given.wake_at)}, ' ')
        .. '\n' .. (given.event or '') .. '\n' .. (given.result and '=' .. given.result or '')
end

-- A step as a row of StepRecord
local function step_row(name, text)
    local number, kind, fence, began_at, ended_at, wake_at, event, has_result, result = string.match(
        text, '^(%d+) (%l+) (%d+) (%S+) (%S+) (%S+)\n([^\n]*)\n(=?)(.*)$')
    return {
        StepRecord; name = name; number = tonumber(number); kind = kind; fence = tonumber(fence);
        began_at = tonumber(began_at); ended_at = tonumber(ended_at) or false; wake_at = tonumber(wake_at) or false;
        event = event ~= '' and event; result = has_result ~= '' and result}
end

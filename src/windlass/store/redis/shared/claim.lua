-- Jobs that change hands, as rows of Claimed. Needs chunks, texts, state_sets, lease and vanished.
-- with overwritten
local TURNS_AT_ONCE = 5000

-- Reads a job as a row, nothing if it is gone; long texts are put in later, all at once. Most jobs were never taken
-- before, and then there is not much to ask for. One whose body is foreign is gone.
local function read_claimed(seq, queue, priority, fence, long)
    local job = try(
        'HMGET', job_key(seq), 'id', 'task', 'payload', 'meta', 'max_attempts', 'timeout', 'created_at', 'unique_key',
        'retry', 'fence', 'errors')
    if not job or not job[1] then return end
    local row = {
        tonumber(seq), job[1], job[2], queue, priority, job[3] or '', job[4], 0, tonumber(job[5]) or 1, 0, 0, fence,
        tonumber(job[6]) or false, tonumber(job[7]) or 0, 0, job[8], job[11], job[9], false, turn = 0,
    }
    if job[3] == '' then long[#long + 1] = {row, 6, text_key('payload', seq)} end
    if job[4] == '' then long[#long + 1] = {row, 7, text_key('meta', seq)} end
    if job[9] == '' then long[#long + 1] = {row, 18, text_key('retry', seq)} end
    if job[11] == '' then long[#long + 1] = {row, 17, text_key('errors', seq)} end
    if job[10] then
        local past = redis.call(
            'HMGET', job_key(seq), 'attempt', 'crashes', 'rescues', 'cancel_requested_at', 'unknown_at', 'queue',
            'priority', 'run_at')
        row[8], row[10], row[11] = tonumber(past[1]) or 0, tonumber(past[2]) or 0, tonumber(past[3]) or 0
        row[15], row[19] = past[4] and 1 or 0, past[5] and now - (tonumber(past[5]) or now) or false
        row[4], row[5] = past[6], tonumber(past[7]) or 0
        row.turn = tonumber(turn(row[5], past[8]))
    end
    return row, job[10]
end

-- Whether a job is plain (see places), by its row before long texts are put in.
local function is_plain(row)
    return not row[16] and not row[17] and row[6] ~= '' and row[7] ~= '' and row[18] ~= ''
end

-- Gives jobs of one queue their turns that have none, a part of them if there are many.
local function give_turns(queue)
    local key, members = pending_key(queue), {}
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, 0, WITHOUT_TURN, 'LIMIT', 0, TURNS_AT_ONCE)) do
        local run_at = try('HGET', job_key(pending_seq(member)), 'run_at')
        members[#members + 1] = turn(pending_priority(member), run_at)
        members[#members + 1] = member
    end
    in_portions(members, function(...) redis.call('ZADD', key, ...) end)
end

-- Members and scores of the next jobs of a queue, which wait no longer.
local function pop(queue, room)
    local popped = try('ZPOPMIN', pending_key(queue), room) or {}
    if not popped[2] or has_turn(popped[2]) then return popped end
    for index = 1, #popped, 2 do redis.call('ZADD', pending_key(queue), popped[index + 1], popped[index]) end
    give_turns(queue)
    return redis.call('ZPOPMIN', pending_key(queue), room)
end

-- Calls own with each of the jobs that were popped: its seq and its new fence as texts, its row, and whether it was never
-- taken before. Own has to write down that it runs.
local FIRST_FENCE = next_fence()
local FIRST_FENCE_WRITTEN = written(FIRST_FENCE)
local function own_popped(popped, queue, long, own)
    local taken = 0
    for index = 1, #popped, 2 do
        local member = popped[index]
        local seq = pending_seq(member)
        local row, old = read_claimed(seq, queue, pending_priority(member), FIRST_FENCE, long)
        if row then
            row.turn = tonumber(popped[index + 1])
            if old then row[12] = next_fence(old) end
            own(seq, old and written(row[12]) or FIRST_FENCE_WRITTEN, row, not old)
            taken = taken + 1
        else
            lose(seq, queue, 'pending')
        end
    end
    count('pending', queue, -#popped / 2)
    count('running', queue, taken)
end

-- Takes the next jobs of a queue from those that wait, or its next suspect.
local function take(queue, room, long, own) own_popped(pop(queue, room), queue, long, own) end
local function take_suspect(queue, long, own) own_popped(try('ZPOPMIN', suspects_key(queue)) or {}, queue, long, own) end

local function is_before(one, other)
    if one.turn ~= other.turn then return one.turn < other.turn end
    return one[1] < other[1]
end

-- In the order of claims; with their long texts.
local function finish_rows(rows, long)
    fill_in(long)
    -- A payload that got lost is an undecodable one: it fails its own job, not the batch.
    for _, want in ipairs(long) do want[1][6] = want[1][6] or '' end
    for index = 2, #rows do
        -- What one queue gave is in order already.
        if is_before(rows[index], rows[index - 1]) then
            table.sort(rows, is_before)
            break
        end
    end
    return rows
end

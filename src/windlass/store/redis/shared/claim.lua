-- Jobs that change hands, rows (Claimed; turn) as row/one/other. Needs chunks, texts, state_sets, lease, vanished and
-- concurrency.
-- with overwritten, expiry, rate_keys
local TURNS_AT_ONCE, BLOCKED_AT_ONCE = 5000, 500

-- Reads a job as a row, nothing if it is gone; long texts are put in later, all at once. Most jobs were never taken
-- before, and then there is not much to ask for. One whose body is overwritten is gone.
local function read_claimed(seq, queue, priority, fence, long)
    local job = try('HMGET', job_key(seq), {
        job: id, task, payload, meta, max_attempts, timeout, created_at, unique_key, concurrency_key, retry, fence,
        errors, start_by, rate_key})
    if not job or not job.id then return end
    local row = {
        row; seq = tonumber(seq); id = job.id; task = job.task; queue = queue; priority = priority;
        payload = job.payload or ''; meta = job.meta; attempt = 0; max_attempts = tonumber(job.max_attempts) or 1;
        crashes = 0; rescues = 0; fence = fence; timeout = tonumber(job.timeout) or false;
        created_at = tonumber(job.created_at) or 0; wants_cancel = 0; unique_key = job.unique_key; errors = job.errors;
        retry = job.retry; unknown_for = false; concurrency_key = job.concurrency_key;
        rate_key = job.rate_key;
        expires_in = job.start_by and (tonumber(job.start_by) or now) - now; waited = 0; turn = 0;
    }
    if job.payload == '' then long[#long + 1] = {row, {Claimed.payload}, text_key('payload', seq)} end
    if job.meta == '' then long[#long + 1] = {row, {Claimed.meta}, text_key('meta', seq)} end
    if job.retry == '' then long[#long + 1] = {row, {Claimed.retry}, text_key('retry', seq)} end
    if job.errors == '' then long[#long + 1] = {row, {Claimed.errors}, text_key('errors', seq)} end
    if job.fence then
        local past = redis.call('HMGET', job_key(seq), {
            past: attempt, crashes, rescues, cancel_requested_at, unknown_at, queue, priority, run_at, claimed_at})
        row.attempt = tonumber(past.attempt) or 0
        row.crashes, row.rescues = tonumber(past.crashes) or 0, tonumber(past.rescues) or 0
        row.wants_cancel = past.cancel_requested_at and 1 or 0
        row.unknown_for = past.unknown_at and now - (tonumber(past.unknown_at) or now) or false
        row.queue, row.priority = past.queue, tonumber(past.priority) or 0
        row.turn = tonumber(turn(row.priority, past.run_at))
        row.waited = math.max(0, (tonumber(past.claimed_at) or now) - since_of(row.turn))
    end
    return row, job.fence
end

-- Whether a job is plain (see state_sets), by its row before long texts are put in.
local function is_plain(row)
    return not row.unique_key and not row.concurrency_key and not row.errors and row.payload ~= '' and row.meta ~= '' and row.retry ~= ''
end

local function key_of(row) return row.concurrency_key end

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

-- Members and scores of the next jobs of a queue, which wait no longer: row (member, score) as popped, and so on.
local function pop(queue, room)
    local popped = try('ZPOPMIN', pending_key(queue), room) or {}
    if not popped.score or has_turn(popped.score) then return popped end
    for index = 1, #popped, 2 do redis.call('ZADD', pending_key(queue), popped[index + 1], popped[index]) end
    give_turns(queue)
    return redis.call('ZPOPMIN', pending_key(queue), room)
end

-- Calls own with each of the jobs that were popped: its seq and its new fence as texts, its row, and whether it was
-- never taken before. Own has to write down that it runs.
local FIRST_FENCE = next_fence()
local FIRST_FENCE_WRITTEN = written(FIRST_FENCE)
local blocked = {}
local function own_popped(popped, queue, long, own)
    local taken, put_aside = 0, 0
    for index = 1, #popped, 2 do
        local member = popped[index]
        local seq = pending_seq(member)
        local row, old = read_claimed(seq, queue, pending_priority(member), FIRST_FENCE, long)
        local key, rate = row and row.concurrency_key, row and row.rate_key
        if rate and RATE_KEYS.is_out(rate, seq, key) then
            -- Its concurrency key, if it was promised to it, goes to the next.
            if key then free_concurrency_key(key, seq) end
            GATES.block(rate, seq, member, popped[index + 1], 'rate')
            RATES.spend(rate, 0)
            RATE_KEYS.note_line(rate)
            blocked[#blocked + 1] = {queue, 'blocked', 'rate'}
            put_aside = put_aside + 1
        elseif key and not GATES.hold(key, seq) then
            GATES.block(key, seq, member, popped[index + 1], 'key')
            put_aside = put_aside + 1
            blocked[#blocked + 1] = {queue, 'blocked', 'key'}
        elseif row then
            if rate then RATE_KEYS.take(rate, seq) end
            row.turn = tonumber(popped[index + 1])
            row.waited = math.max(0, now - since_of(row.turn))
            if old then row.fence = next_fence(old) end
            if row.expires_in then drop_expiry(seq) end
            own(seq, old and written(row.fence) or FIRST_FENCE_WRITTEN, row, not old)
            taken = taken + 1
        else
            add_vanished(seq, queue, 'pending')
        end
    end
    count('pending', queue, -#popped / 2)
    count('running', queue, taken)
    if put_aside > 0 then count('blocked', queue, put_aside) end
    return put_aside
end

-- Takes the next jobs of a queue from those that wait, or its next suspect. Others come instead of those that are blocked.
local function take(queue, room, long, own)
    local put_aside = own_popped(pop(queue, room), queue, long, own)
    while put_aside > 0 and #blocked < BLOCKED_AT_ONCE do
        put_aside = own_popped(pop(queue, put_aside), queue, long, own)
    end
end
local function take_suspect(queue, long, own)
    own_popped(try('ZPOPMIN', suspects_key(queue)) or {}, queue, long, own)
end

local function is_before(one, other)
    if one.turn ~= other.turn then return one.turn < other.turn end
    return one.seq < other.seq
end

-- In the order of claims; with their long texts: rows (row, column, key) as want.
local function finish_rows(rows, long)
    fill_in(long)
    -- A payload that vanished is an undecodable one: it fails its own job, not the batch.
    for _, want in ipairs(long) do
        local row = want.row
        row.payload = row.payload or ''
    end
    for index = 2, #rows do
        -- What one queue gave is in order already.
        if is_before(rows[index], rows[index - 1]) then
            table.sort(rows, is_before)
            break
        end
    end
    return rows
end

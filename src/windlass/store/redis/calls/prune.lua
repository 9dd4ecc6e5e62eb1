-- Removes finished jobs that are still as they were seen, with all that is told of them: one that was retried meanwhile
-- and has finished anew did so at another time.
-- KEYS counts, due, ids, events, waiting
-- asks queue, state; jobs: rows (seq, fence, id, finished_at)
-- gives pruned: rows (seq); lost: rows (seq, queue, state) of those whose bodies are gone; foreign: see there in shared/
-- with chunks, texts, allow_oom, index, state_sets, unique, removal
local pruned, lost, members = {}, {}, {}
for _, row in ipairs(ask.jobs) do
    local seq = written(row[1])
    local job = try('HMGET', job_key(seq), unpack(LOOKED_AT)) or {}
    if not job[1] then
        lost[#lost + 1] = {row[1], ask.queue, ask.state}
    elseif job[STATE] == ask.state and tonumber(job[FINISHED_AT]) == row[4] then
        remove(seq, job)
        members[#members + 1] = padded(row[1])
        members[#members + 1] = plain_member(row[1])
        pruned[#pruned + 1] = {row[1]}
    end
end
-- All of them lie in one place, each in one of two forms.
in_portions(members, function(...) redis.call('ZREM', finished_key(ask.state, ask.queue), ...) end)
count(ask.state, ask.queue, -#pruned)
settle_removals()
if INDEXED[ask.state] then remove_from_index(ask.state, removed_seqs) end
return {'pruned', pruned, 'lost', lost, 'foreign', foreign}

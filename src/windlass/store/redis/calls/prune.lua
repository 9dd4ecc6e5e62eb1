-- Removes finished jobs that are still as they were seen, with their events and indexes: one that was retried meanwhile
-- and has finished anew did so at another time.
-- KEYS counts, due, ids, events, waiting, edges, awaited, unsettled
-- asks queue, state; jobs: rows (seq, fence, id, finished_at) as seen
-- gives pruned: rows (seq); vanished: rows (VanishedJob) of those whose bodies are gone; overwritten: see
--       shared/overwritten
-- with chunks, texts, allow_oom, index, state_sets, unique, removal, needed
local pruned, vanished, members = {}, {}, {}
for _, seen in ipairs(ask.jobs) do
    local seq = written(seen.seq)
    local job = try('HMGET', job_key(seq), unpack(EXAMINED)) or {}
    if not job[ID] then
        vanished[#vanished + 1] = {VanishedJob; seq = seen.seq; queue = ask.queue; was = ask.state}
    elseif job[STATE] == ask.state and tonumber(job[FINISHED_AT]) == seen.finished_at and not is_needed(seq) then
        remove(seq, job)
        members[#members + 1] = padded(seen.seq)
        members[#members + 1] = plain_member(seen.seq)
        pruned[#pruned + 1] = {seen.seq}
    end
end
-- All of them lie in one place, each in one of two forms.
in_portions(members, function(...) redis.call('ZREM', finished_key(ask.state, ask.queue), ...) end)
count(ask.state, ask.queue, -#pruned)
settle_removals()
if INDEXED[ask.state] then remove_from_index(ask.state, removed_seqs) end
return {'pruned', pruned, 'vanished', vanished, 'overwritten', overwritten}

-- Stores jobs as they are, which come from another store or from an archive. Needs KEY.ids, KEY.seq, KEY.queues, chunks, texts,
-- index, state_sets, record, finished, tags and expiry.
-- missing: rows (JobRecord) as job, those that are not here yet and do not run
local function store_imported(missing)
    if #missing > 0 then
        local last = take_seqs(#missing) - #missing
        add_run_to_index('all', last + 1, last + #missing)
        for index, job in ipairs(missing) do job.seq = written(last + index) end
    end

    for _, job in ipairs(missing) do
        local seq, fields, long = job.seq, {}, {}
        for index = AFTER_SEQ, #COLUMNS do
            local column, value = COLUMNS[index], job[index]
            if value and IS_TEXT[column] then
                add_text(column, seq, value, fields, long)
            elseif value and value ~= 0 and column ~= 'lease' then
                fields[#fields + 1] = column
                fields[#fields + 1] = NUMBERS[column] ~= nil and written(value) or value
            end
        end
        redis.call('HSET', job_key(seq), unpack(fields))
        write_long(long)
        if job.errors then keep_errors(seq, job.errors) end
        if job.tags then add_tags(seq, job.tags, job.payload) end
        redis.call('HSET', KEY.ids, job.id, seq)
        redis.call('SADD', KEY.queues, job.queue)
        local at = FINISHED[job.state] and job.finished_at or job.run_at
        if job.start_by and not FINISHED[job.state] then note_expiry(seq, written(job.start_by)) end
        -- One that is blocked waits for other jobs.
        local gate = job.state == 'blocked' and 'parents' or nil
        if gate then redis.call('HSET', job_key(seq), 'gate', gate) end
        place(job.state, job.queue, seq, job.priority, at, is_suspect(job.crashes, job.rescues), gate)
    end
    settle()
end

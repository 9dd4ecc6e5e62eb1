-- How many more jobs may hold the concurrency key {key}: those that run hold it, and those that are to run next.
    coalesce((
        SELECT coalesce(concurrency, declared) FROM windlass_key_limit
        WHERE task = substr({key}, 1, instr({key}, char(10)) - 1)), 1)
    - (SELECT count(*) FROM windlass_job AS holder
        WHERE holder.concurrency_key = {key} AND holder.state = 'running')
    - (SELECT count(*) FROM windlass_job AS holder
        WHERE holder.concurrency_key = {key} AND holder.state = 'pending' AND holder.promised = 1)

-- Whether the run of the job {seq}, which ends as {state}, leads back to the jobs that wait for its concurrency key.
    {state} = 'pending' AND EXISTS (
        SELECT 1 FROM windlass_job AS ended JOIN windlass_job AS waiting ON waiting.gate = ended.concurrency_key
        WHERE ended.seq = {seq} AND ended.cancel_requested_at IS NULL AND waiting.state = 'blocked')

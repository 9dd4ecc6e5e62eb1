-- How many jobs wait in a queue, which is what its max_length bounds.
    (SELECT count(*) FROM windlass_job
        WHERE queue = {queue} AND state = 'pending' AND crashes = 0 AND rescues = 0)
    + (SELECT count(*) FROM windlass_job
        WHERE queue = {queue} AND state = 'pending' AND crashes + rescues > 0)
    + (SELECT count(*) FROM windlass_job WHERE queue = {queue} AND
        -- here is_held_back (job = windlass_job)
    )

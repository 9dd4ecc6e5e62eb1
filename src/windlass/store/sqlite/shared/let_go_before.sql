-- How many jobs of the rate :name were let go and are not claimed yet.
    SELECT count(*) FROM windlass_job AS next
    WHERE next.rate_key = :name AND next.promised = 2 AND next.state = 'pending'

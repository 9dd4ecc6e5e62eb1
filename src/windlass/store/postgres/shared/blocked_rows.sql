-- What a claim has blocked, rows (queue, state, reason); a column. Needs refused.
    (SELECT coalesce(json_agg(json_build_array(queue, 'blocked', reason)), '[]') FROM refused) AS blocked

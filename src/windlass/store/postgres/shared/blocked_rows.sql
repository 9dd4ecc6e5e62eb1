-- What a claim has blocked, rows (queue, state); a column. Needs refused.
    (SELECT coalesce(json_agg(json_build_array(queue, 'blocked')), '[]') FROM refused) AS blocked

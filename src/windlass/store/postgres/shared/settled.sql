-- What became of jobs that need not wait for their parents. Needs edges; a column.
-- gives settled
    , (SELECT coalesce(json_agg(json_build_array(stored.id, settled.state)), '[]')
        FROM stored JOIN settled ON settled.seq = stored.seq) AS settled

-- What became of the runs that ended. Needs ended.
endings AS (
    SELECT count(*) AS number, json_build_array(json_build_array(count(job))) AS ended,
        -- Jobs whose rows were deleted.
        jsonb_agg(jsonb_build_array(seq, queue, 'running')) FILTER (WHERE job IS NULL) AS vanished
    FROM ended
)

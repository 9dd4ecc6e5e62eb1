-- The children whose edges are to be looked at, {limit} of them at the most, as a JSON list; null if there are none.
SELECT nullif(json_group_array(child), '[]') FROM (
    SELECT DISTINCT child FROM windlass_edge WHERE state = 0 LIMIT {limit})

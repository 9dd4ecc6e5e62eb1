-- Of the given id prefixes, those that more than one job has; two looks into the index on ids for each.
-- gives starts
SELECT start.text
FROM jsonb_array_elements_text(CAST(:starts AS jsonb)) AS start (text) CROSS JOIN LATERAL (
    SELECT count(*) AS jobs FROM (
        SELECT 1 FROM windlass_job WHERE id >= start.text AND id < start.text || chr(1114111)
        ORDER BY id LIMIT 2) AS two) AS found
WHERE found.jobs > 1

-- Jobs by id.
-- gives jobs as json
SELECT CAST(json_group_array(json_array({JobRecord; payload = whole_payload})) AS BLOB)
FROM windlass_whole WHERE id IN (SELECT value FROM jsonb_each(:ids))

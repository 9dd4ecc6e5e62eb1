-- Changes the settings that :changes names (a JSON object; null takes a setting back); keeps who did it.
UPDATE windlass_queue SET
    weight = iif(json_type(:changes, '$.weight') IS NULL, weight, :changes ->> '$.weight'),
    max_length = iif(json_type(:changes, '$.max_length') IS NULL, max_length, :changes ->> '$.max_length'),
    retention = iif(json_type(:changes, '$.retention') IS NULL, retention, :changes ->> '$.retention'),
    retry = iif(json_type(:changes, '$.retry') IS NULL, retry, :changes ->> '$.retry'),
    changed_at = :now, changed_by = :by
WHERE name = :name

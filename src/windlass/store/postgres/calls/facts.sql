-- What a diagnosis has to know of the server, as names and values.
-- gives facts
SELECT CAST(name AS text), CAST(setting AS text) FROM pg_catalog.pg_settings
WHERE name IN ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes')
UNION ALL SELECT 'schema', CAST(max(version) AS text) FROM windlass_schema

-- What a diagnosis has to know of the file, as names and values.
-- gives facts
SELECT 'version', sqlite_version()
UNION ALL SELECT 'schema', CAST(max(version) AS TEXT) FROM windlass_schema
UNION ALL SELECT 'journal_mode', journal_mode FROM pragma_journal_mode
UNION ALL SELECT 'synchronous', CAST(synchronous AS TEXT) FROM pragma_synchronous
UNION ALL SELECT 'bytes', CAST(page_count * page_size AS TEXT) FROM pragma_page_count, pragma_page_size

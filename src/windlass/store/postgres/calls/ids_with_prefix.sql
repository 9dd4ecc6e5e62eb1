-- Ids that begin with a text, in order; a range of the index on ids. No id goes on with the last character there is.
-- gives ids
SELECT id FROM windlass_job
WHERE id >= CAST(:prefix AS text) AND id < CAST(:prefix AS text) || chr(1114111) ORDER BY id LIMIT CAST(:limit AS bigint)

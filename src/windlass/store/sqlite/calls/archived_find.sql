-- Where the archive has the newest job with an id, by the index on ids.
-- gives jobs
SELECT {ArchivedPlace; size = octet_length(job); cursor = ''} FROM windlass_archive WHERE id = :id
ORDER BY week DESC, seq DESC LIMIT 1

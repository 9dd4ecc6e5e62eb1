-- A job of the archive is found by its id. Meanwhile finished jobs are not archived, and nothing else waits.
-- compatible from 1

CREATE INDEX archive_id ON windlass_archive (id);

-- A job of the archive is found by its id.

CREATE INDEX windlass_archive_id ON windlass_archive (id);

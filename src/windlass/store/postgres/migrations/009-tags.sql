-- Tags, by which jobs are found: of each job as a JSON list, and apart from it a row for each tag. By trigger, so that every
-- statement that stores or deletes jobs keeps both; only jobs with tags pay. Releases that know fewer steps go on.
-- compatible from 1

ALTER TABLE windlass_job ADD COLUMN tags text;

CREATE TABLE windlass_tag (
    tag text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (tag, seq)
);

-- Tags have neither quotes nor backslashes in them, so they are read without decoding: nothing that is stored there can
-- make a statement fail.
CREATE FUNCTION windlass_add_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO windlass_tag (tag, seq)
    SELECT DISTINCT found.words[1], NEW.seq FROM regexp_matches(NEW.tags, '"([^"]+)"', 'g') AS found (words);
    RETURN NULL;
END
$$;
CREATE TRIGGER add_tags AFTER INSERT ON windlass_job
FOR EACH ROW WHEN (NEW.tags IS NOT NULL) EXECUTE FUNCTION windlass_add_tags();
-- One by one, each by the whole key: a plan for all of them that was made while the table was empty would walk it.
CREATE FUNCTION windlass_remove_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT found.words[1] FROM regexp_matches(OLD.tags, '"([^"]+)"', 'g') AS found (words) LOOP
        DELETE FROM windlass_tag AS tagged WHERE tagged.tag = name AND tagged.seq = OLD.seq;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER remove_tags AFTER DELETE ON windlass_job
FOR EACH ROW WHEN (OLD.tags IS NOT NULL) EXECUTE FUNCTION windlass_remove_tags();
CREATE FUNCTION windlass_clear_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM windlass_tag;
    RETURN NULL;
END
$$;
CREATE TRIGGER clear_tags AFTER TRUNCATE ON windlass_job
FOR EACH STATEMENT EXECUTE FUNCTION windlass_clear_tags();

CREATE OR REPLACE VIEW windlass_record AS
SELECT job.seq, job.id, job.task, job.queue,
    CASE WHEN running.seq IS NOT NULL THEN 'running' ELSE coalesce(finished.state, job.waiting) END
        COLLATE "C" AS state,
    CASE WHEN finished.seq IS NOT NULL THEN finished.reason ELSE job.reason END AS reason,
    job.priority, job.payload, job.meta,
    coalesce(running.attempt, finished.attempt, job.attempt) AS attempt,
    job.max_attempts,
    coalesce(running.crashes, finished.crashes, job.crashes) AS crashes,
    coalesce(running.rescues, finished.rescues, job.rescues) AS rescues,
    job.run_at, job.created_at, job.promoted_at,
    CASE WHEN finished.seq IS NOT NULL THEN finished.claimed_at
        ELSE coalesce(running.claimed_at, job.claimed_at) END AS claimed_at,
    -- a run that has not begun does not show when an earlier one did
    CASE WHEN running.seq IS NOT NULL THEN running.started_at
        WHEN finished.seq IS NOT NULL THEN finished.started_at ELSE job.started_at END AS started_at,
    finished.finished_at, job.timeout,
    coalesce(running.fence, finished.fence, job.fence) AS fence,
    running.lease, running.claim,
    CASE WHEN finished.seq IS NOT NULL THEN finished.worker ELSE coalesce(running.worker, job.worker) END AS worker,
    coalesce(running.cancel_requested_at, finished.cancel_requested_at) AS cancel_requested_at,
    job.unique_key,
    coalesce(running.progress, finished.progress, job.progress) AS progress,
    finished.result,
    coalesce(finished.errors, job.errors) AS errors,
    job.retry,
    CASE WHEN finished.seq IS NULL THEN job.unknown_at
        WHEN finished.reason = 'unknown_task' THEN coalesce(job.unknown_at, finished.finished_at) END AS unknown_at,
    job.tags
FROM windlass_job AS job
LEFT JOIN windlass_running AS running ON running.seq = job.seq
LEFT JOIN windlass_finished AS finished ON finished.seq = job.seq;

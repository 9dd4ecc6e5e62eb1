-- Failed jobs below :cursor grouped by what went wrong, the newest first; at most :window are looked at. Of those that an
-- earlier release has failed, and whose errors have to be read, no more than hold :bytes together, but at least one.
-- :recent for how long a failure is recent; :steps of that length are told apart
-- :by queue or worker, if the groups are to be told apart by that
-- gives groups
-- gives examined
WITH
-- here clock
, newest AS MATERIALIZED (
    SELECT finished.seq, finished.reason, finished.finished_at, finished.errors, finished.cause,
        CASE CAST(:by AS text) WHEN 'queue' THEN finished.queue WHEN 'worker' THEN finished.worker END AS part
    FROM windlass_finished AS finished
    -- Written as a range, in an order that only the index of dead letters has: by seq alone the planner would walk all
    -- finished jobs for the few that failed.
    WHERE finished.state IN ('failed', 'cancelled') AND finished.state >= 'failed'
    AND (finished.state, finished.seq) < ('failed', CAST(:cursor AS bigint))
    ORDER BY finished.state DESC, finished.seq DESC LIMIT CAST(:window AS bigint)
), examined AS MATERIALIZED (
    SELECT * FROM (
        SELECT newest.seq, newest.reason, newest.finished_at, newest.cause, newest.part, job.id, job.task, job.errors,
            -- The lengths of long texts are known without reading them.
            sum(CAST(CASE WHEN newest.cause IS NULL THEN coalesce(octet_length(job.errors), 0) ELSE 0 END
                AS double precision)) OVER before AS bytes,
            row_number() OVER before AS place
        FROM newest
        CROSS JOIN LATERAL (
            SELECT job.id, job.task, coalesce(newest.errors, job.errors) AS errors
            FROM windlass_job AS job WHERE job.seq = newest.seq LIMIT 1) AS job
        WINDOW before AS (ORDER BY newest.seq DESC ROWS UNBOUNDED PRECEDING)) AS sized
    WHERE sized.bytes <= CAST(:bytes AS bigint) OR sized.place = 1
), grouped AS (
    SELECT {DeadGroup; count = count(*) AS count; oldest = min(finished_at) AS oldest; newest = max(finished_at) AS newest;
        recent = count(*) FILTER (WHERE finished_at > (SELECT now FROM clock) - CAST(:recent AS bigint)) AS recent;
        sample = max(lpad(CAST(seq AS text), 19, '0') || id) AS sample;
        ages = string_agg(CAST(greatest(0, (SELECT now FROM clock) - finished_at) / CAST(:recent AS bigint) AS text), ',')
            FILTER (WHERE finished_at > (SELECT now FROM clock) - CAST(:recent AS bigint) * CAST(:steps AS bigint)) AS ages}
    FROM (
        -- The type of the newest fault, which comes last. Taken out of the text, not read as JSON: one damaged history must
        -- not hide the others. Inside a JSON string the quotes would be escaped, so it can only be a fault's own field.
        SELECT seq, id, task, reason, cause, part, finished_at,
            CASE WHEN cause IS NULL AND strpos(errors, ',"type":"') > 0
                THEN split_part(split_part(errors, ',"type":"', -1), '"', 1) END AS error
        FROM examined) AS failure
    GROUP BY task, reason, error, cause, part
)
SELECT
    (SELECT coalesce(json_agg(json_build_array({DeadGroup})), '[]') FROM grouped) AS groups,
    -- How many were looked at, where the look ended, and whether there may be more.
    (SELECT json_build_array(json_build_array(count(*), min(seq),
            count(*) = CAST(:window AS bigint) OR count(*) < (SELECT count(*) FROM newest)))
        FROM examined) AS examined

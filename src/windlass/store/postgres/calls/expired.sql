-- Running jobs behind :after that no open lease in time covers; a lease that is not there counts as expired. The
-- page ends at :limit jobs or :bytes of errors. And the suspects among them that had begun, whichever page they are on: one of them is
-- held responsible for the loss of its lease. A manual claim is none.
-- gives expired
-- gives suspects
WITH RECURSIVE
-- here clock, leases_in_use
, over AS MATERIALIZED (
    SELECT holding.lease, lease.renewed_at, lease.ttl, lease.blamed
    FROM clock, holding LEFT JOIN windlass_lease AS lease ON lease.id = holding.lease
    WHERE holding.lease IS NOT NULL AND NOT coalesce(
        -- here live_lease
        , false)
), page AS MATERIALIZED (
    SELECT running.*, job.max_attempts, job.errors, job.unique_key, job.concurrency_key,
        -- The lengths of long texts are known without reading them.
        coalesce(sum(octet_length(job.errors)) OVER (
            ORDER BY running.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM (
        SELECT * FROM windlass_running
        WHERE lease = ANY (ARRAY(SELECT over.lease FROM over)) AND seq > CAST(:after AS bigint)
        ORDER BY seq LIMIT CAST(:limit AS bigint)
    -- LATERAL, and OFFSET 0, so that a plan that was made for empty tables does not read large ones
    ) AS running LEFT JOIN LATERAL (
        SELECT * FROM windlass_job WHERE windlass_job.seq = running.seq OFFSET 0) AS job ON true
), suspect AS MATERIALIZED (
    SELECT * FROM windlass_running WHERE lease = ANY (ARRAY(SELECT over.lease FROM over))
    AND crashes + rescues > 0 AND started_at IS NOT NULL AND strpos(lease, ':') = 0
)
SELECT
    -- A job whose row was deleted has nowhere to go; rescue takes it off the list all the same, and says so.
    (SELECT coalesce(json_agg(json_build_array({page.Expired;
            max_attempts = coalesce(page.max_attempts, 0);
            is_charged = strpos(page.lease, ':') > 0;
            was_started = page.started_at IS NOT NULL;
            ran_for = greatest(0, coalesce(over.renewed_at + over.ttl, clock.now) - page.started_at);
            blamed = over.blamed}) ORDER BY page.seq), '[]')
        FROM clock, page JOIN over ON over.lease = page.lease WHERE page.before < CAST(:bytes AS bigint)
    ) AS expired,
    (SELECT coalesce(json_agg(json_build_array({suspect.StartedSuspect;
            ran_for = coalesce(over.renewed_at, 0) - suspect.started_at;
            -- How long its newest run lasted that died: the last such number in a text of our own.
            fatal_run = CAST(nullif(substring(job.errors FROM '.*"ran_for":(\d+|null)'), 'null') AS bigint);
            has_company = EXISTS (
                -- a suspect that is not marked has not begun
                SELECT 1 FROM windlass_running AS other
                WHERE other.lease = suspect.lease AND other.seq <> suspect.seq
                AND (other.started_at IS NOT NULL OR other.crashes + other.rescues = 0))}) ORDER BY suspect.seq), '[]')
        FROM suspect JOIN over ON over.lease = suspect.lease LEFT JOIN LATERAL (
            SELECT * FROM windlass_job WHERE windlass_job.seq = suspect.seq OFFSET 0) AS job ON true
    ) AS suspects

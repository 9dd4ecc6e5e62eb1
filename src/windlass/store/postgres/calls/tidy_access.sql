-- Removes tokens that were revoked, or have expired, longer ago than :gone_for; entries of the audit that are older than
-- :kept_for, and the oldest beyond :most; :limit of each at a time.
-- gives tokens
-- gives old
-- gives many
--
-- Takes no lock that another transaction has, so that it never waits; what it skips goes next time.
WITH
-- here clock
, token AS (
    DELETE FROM windlass_token WHERE name = ANY (ARRAY(
        SELECT token.name FROM windlass_token AS token, clock
        WHERE token.revoked_at < clock.now - CAST(:gone_for AS bigint)
        OR token.expires_at < clock.now - CAST(:gone_for AS bigint)
        LIMIT CAST(:limit AS bigint)
        FOR UPDATE OF token SKIP LOCKED))
    RETURNING name
), old AS MATERIALIZED (
    SELECT audit.number FROM windlass_audit AS audit
    WHERE audit.at < (SELECT now FROM clock) - CAST(:kept_for AS bigint)
    ORDER BY audit.at LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), many AS MATERIALIZED (
    SELECT audit.number FROM windlass_audit AS audit
    WHERE audit.number <= (SELECT max(number) FROM windlass_audit) - CAST(:most AS bigint)
    ORDER BY audit.number LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM windlass_audit WHERE number = ANY (ARRAY(
        SELECT old.number FROM old UNION SELECT many.number FROM many))
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM token) AS tokens,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM old) AS old,
    (SELECT coalesce(json_agg(json_build_array(1)), '[]') FROM many) AS many

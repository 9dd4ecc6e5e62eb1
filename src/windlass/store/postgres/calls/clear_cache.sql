-- Lets go of the cached results of a task, and of those that its waiting and running jobs would make, :limit at a time: no
-- call is given the result of an earlier one. The jobs themselves stay.
-- :first, :behind the keys of a task lie between these two
-- gives cleared
--
-- A key that a caller's open transaction takes over is passed by: whatever that enqueues comes after this call.
WITH found AS MATERIALIZED (
    SELECT key.key FROM windlass_key AS key
    WHERE key.key >= CAST(:first AS text) COLLATE "C" AND key.key < CAST(:behind AS text) COLLATE "C"
    AND key.cached_for IS NOT NULL
    ORDER BY key.key LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
)
DELETE FROM windlass_key WHERE key = ANY (ARRAY(SELECT found.key FROM found))
RETURNING 1

-- Lets go of the cached results of a task, and of those that its waiting and running jobs would make, :limit at a time: no
-- call is given the result of an earlier one. The jobs themselves stay.
-- :first, :behind the keys of a task lie between these two
-- gives cleared
DELETE FROM windlass_key WHERE key IN (
    SELECT key FROM windlass_key WHERE key >= :first AND key < :behind AND cached_for IS NOT NULL
    ORDER BY key LIMIT :limit)
RETURNING 1

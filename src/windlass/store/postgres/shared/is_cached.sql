-- Whether the result of the job {job} is cached: equal calls are given this very job, so it stays until that is over.
-- Needs clock.
    CASE WHEN starts_with({job}.unique_key, 'cache:') THEN EXISTS (
        SELECT 1 FROM windlass_key AS cached
        WHERE cached.key = {job}.unique_key AND cached.id = {job}.id AND cached.cached_for IS NOT NULL
        AND cached.expires_at > (SELECT now FROM clock)) ELSE false END

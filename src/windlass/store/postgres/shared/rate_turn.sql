-- Whether {row}, a row of ready with the rate key {key}, does not line up behind the jobs of the key that wait for tokens: it
-- was let go, or has its concurrency key.
    ({row}.gate IS NOT NULL OR {row}.rate_gate IS NOT DISTINCT FROM {key})

-- What time it is, in milliseconds since 1970: by the server's clock, so hosts may be skewed, or as a test says.
clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
)

-- A page of schedules in the order of their names: at most :limit, and no more than :bytes of what users wrote.
listed AS (
    SELECT * FROM (
        SELECT named.*, row_number() OVER before AS place,
            sum(octet_length(definition) + coalesce(octet_length(declared), 0)) OVER before AS bytes
        FROM (
            SELECT * FROM windlass_schedule
            WHERE name > :after AND (:task IS NULL OR task = :task)
            AND (:names IS NULL OR name IN (SELECT value FROM jsonb_each(:names)))
            ORDER BY name LIMIT :limit) AS named
        WINDOW before AS (ORDER BY name ROWS UNBOUNDED PRECEDING))
    WHERE bytes <= :bytes OR place = 1
)

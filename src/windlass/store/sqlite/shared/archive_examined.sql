-- The archived jobs that archived_page looks at.
newest AS MATERIALIZED (
    SELECT seq, octet_length(job) AS size FROM windlass_archive
    WHERE week = :week AND seq < coalesce(CAST(:cursor AS INTEGER), 9223372036854775807) ORDER BY seq DESC LIMIT :window
), examined AS MATERIALIZED (
    SELECT seq, size FROM (
        SELECT seq, size, sum(size) OVER before AS bytes, row_number() OVER before AS place FROM newest
        WINDOW before AS (ORDER BY seq DESC ROWS UNBOUNDED PRECEDING))
    WHERE bytes <= :bytes OR place = 1
)

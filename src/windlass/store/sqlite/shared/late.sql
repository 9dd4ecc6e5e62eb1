-- The jobs that wait and are too late to start, the longest overdue first.
    SELECT late.seq FROM windlass_job AS late
    WHERE late.start_by IS NOT NULL AND late.start_by <= :now AND
        -- here may_expire (job = late)
    ORDER BY late.start_by, late.seq LIMIT :limit

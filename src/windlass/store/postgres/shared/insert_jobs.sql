-- Stores the jobs new, rows of given. Needs clock; the caller says when, and a WHERE of its own follows.
    INSERT INTO windlass_job ({NewJob; delay = run_at, waiting; after = reason; without at}, start_by, created_at)
    SELECT {NewJob;
        delay = greatest(clock.now, due_at), CASE WHEN after = 1 THEN 'blocked'
            WHEN due_at > clock.now THEN 'scheduled' ELSE 'pending' END;
        after = CASE WHEN after = 1 THEN 'parents' END;
        without at}, due_at + expires, clock.now
    FROM new, clock

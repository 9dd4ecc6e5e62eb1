-- Stores the jobs new, rows of given. Needs clock; the caller says when, and a WHERE of its own follows.
    INSERT INTO windlass_job ({NewJob; delay = run_at, waiting; without at}, start_by, created_at)
    SELECT {NewJob;
        delay = greatest(clock.now, due_at), CASE WHEN due_at > clock.now THEN 'scheduled' ELSE 'pending' END;
        without at}, due_at + expires, clock.now
    FROM new, clock

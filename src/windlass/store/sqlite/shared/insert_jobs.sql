-- Stores jobs; the caller says which of them, and in which order.
-- A delay is a length from the store's now; an instant (at) is given as such, and one in the past means now.
INSERT INTO windlass_job ({NewJob; delay = run_at, state; after = reason, gate; without at}, start_by, created_at)
SELECT {jobs.NewJob;
    delay = max(:now, coalesce({jobs.at}, :now + ({jobs.delay}))),
        CASE WHEN {jobs.after} THEN 'blocked'
            WHEN coalesce({jobs.at}, :now + ({jobs.delay})) > :now THEN 'scheduled' ELSE 'pending' END;
    after = iif({jobs.after}, 'parents', NULL), iif({jobs.after}, 'parents', NULL);
    without at}, coalesce({jobs.at}, :now + ({jobs.delay})) + ({jobs.expires}), :now
FROM jsonb_each(:jobs) AS jobs

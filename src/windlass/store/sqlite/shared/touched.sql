-- The limits that a call may meet, by name: of all queues together, of those that are asked for jobs, and of those whose runs
-- end; of every queue where these are not known. As one list, of which each name is looked up: an OR reads all limits.
    SELECT '*'
    UNION ALL SELECT {requests.queue} FROM jsonb_each(:requests)
    UNION ALL SELECT value FROM json_each(:ended_in)
    UNION ALL SELECT name FROM windlass_gate WHERE :ended_in IS NULL

-- The jobs that the call asks for, and when each is due. Needs clock.
given AS MATERIALIZED (
    SELECT place,
        {jobs.NewJob; named; cast numbers as bigint; cast priority, max_attempts as integer;
            id = ({jobs.id}) COLLATE "C";
            queue = ({jobs.queue}) COLLATE "C";
            unique_key = ({jobs.unique_key}) COLLATE "C";
            without delay, at},
        -- A delay is a length from the store's now; an instant (at) is given as such, and one in the past means now.
        coalesce(CAST({jobs.at} AS bigint), clock.now + CAST({jobs.delay} AS bigint)) AS due_at
    FROM clock, jsonb_array_elements(CAST(:jobs AS jsonb)) WITH ORDINALITY AS item (value, place)
)

-- Rates of tasks that operators set. A worker of an earlier release sets the rate that its code declares when it starts; one
-- of this release sets the operator's again.
-- compatible from 1

CREATE TABLE windlass_task_rate (
    task text COLLATE "C" PRIMARY KEY,
    -- [amount,period,burst] as code declares it; null: the code has no rate for it
    declared text,
    -- as an operator says, which counts; [] is no rate; null: the code decides
    chosen text,
    changed_at bigint,
    changed_by text
);

INSERT INTO windlass_task_rate (task, declared)
SELECT task, format('[%s,%s,%s]', amount, period, burst) FROM windlass_rate_limit;

-- What holds for these tasks follows from what is declared and what an operator has chosen. Whole tokens survive a change, as
-- far as there is room for them; jobs that wait are looked at anew. Gives the tasks whose rate is another now.
CREATE FUNCTION windlass_apply_rates(asked text[], at bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    -- By task and then by name, which is the order of names, as claims lock them.
    FOR one IN
        SELECT wanted.task, nullif(coalesce(known.chosen, known.declared), '[]') AS rate
        FROM unnest(asked) AS wanted (task) LEFT JOIN windlass_task_rate AS known ON known.task = wanted.task
        ORDER BY wanted.task COLLATE "C"
    LOOP
        IF one.rate IS NULL THEN
            DELETE FROM windlass_rate_limit AS known WHERE known.task = one.task;
            CONTINUE WHEN NOT FOUND;
        ELSE
            INSERT INTO windlass_rate_limit AS known (task, amount, period, burst)
            SELECT one.task, CAST(rate.value ->> 0 AS bigint), CAST(rate.value ->> 1 AS bigint), CAST(rate.value ->> 2 AS bigint)
            FROM (SELECT CAST(one.rate AS jsonb) AS value) AS rate
            ON CONFLICT (task) DO UPDATE SET amount = excluded.amount, period = excluded.period, burst = excluded.burst
            WHERE (known.amount, known.period, known.burst)
                IS DISTINCT FROM (excluded.amount, excluded.period, excluded.burst);
            CONTINUE WHEN NOT FOUND;
        END IF;
        PERFORM 1 FROM windlass_rate_gate AS gate
        WHERE gate.name > one.task || E'\t' AND gate.name < one.task || E'\n'
        ORDER BY gate.name FOR UPDATE;
        UPDATE windlass_rate_gate AS gate SET
            amount = touched.amount, period = touched.period, burst = touched.burst, filled_at = at,
            level = touched.tokens * touched.period,
            full_at = at + (touched.burst - touched.tokens) * touched.period / touched.amount + 1,
            opens_at = CASE WHEN gate.opens_at IS NOT NULL THEN at END
        FROM (
            SELECT old.name, known.amount, known.period, known.burst,
                least(known.burst, windlass_filled(old, at) / old.period) AS tokens
            FROM windlass_rate_limit AS known CROSS JOIN windlass_rate_gate AS old
            WHERE known.task = one.task AND old.name > one.task || E'\t' AND old.name < one.task || E'\n'
        ) AS touched
        WHERE gate.name = touched.name;
        -- Jobs that wait for the tokens of a task without a rate go.
        UPDATE windlass_rate_gate AS gate SET
            full_at = at, opens_at = CASE WHEN gate.opens_at IS NOT NULL THEN at END
        WHERE one.rate IS NULL AND gate.name > one.task || E'\t' AND gate.name < one.task || E'\n';
        RETURN NEXT one.task;
    END LOOP;
END
$$;

-- What code declares: rows (task, rate), and tasks that have no rate any more.
CREATE FUNCTION windlass_declare_rates(limits jsonb, without text[], at bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO windlass_task_rate AS known (task, declared)
    SELECT one.value ->> 0, one.value ->> 1 FROM jsonb_array_elements(limits) AS one (value)
    ORDER BY (one.value ->> 0) COLLATE "C"
    ON CONFLICT (task) DO UPDATE SET declared = excluded.declared WHERE known.declared IS DISTINCT FROM excluded.declared;
    PERFORM 1 FROM windlass_task_rate AS known
    WHERE known.declared IS NOT NULL AND known.task = ANY (without) ORDER BY known.task FOR UPDATE;
    UPDATE windlass_task_rate AS known SET declared = NULL WHERE known.declared IS NOT NULL AND known.task = ANY (without);
    DELETE FROM windlass_task_rate AS known
    WHERE known.declared IS NULL AND known.chosen IS NULL AND known.task = ANY (without);
    RETURN QUERY SELECT applied.* FROM windlass_apply_rates(
        ARRAY(SELECT one.value ->> 0 FROM jsonb_array_elements(limits) AS one (value)) || without, at) AS applied;
END
$$;

-- What an operator says; null lets the code decide again. Gives the task, unless another has changed it since :seen.
CREATE FUNCTION windlass_choose_rate(asked text, wanted text, actor text, seen bigint, at bigint) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    INSERT INTO windlass_task_rate (task) VALUES (asked) ON CONFLICT (task) DO NOTHING;
    SELECT coalesce(known.changed_at, 0) INTO last FROM windlass_task_rate AS known WHERE known.task = asked FOR UPDATE;
    IF seen IS NULL OR last = seen THEN
        UPDATE windlass_task_rate AS known SET
            chosen = wanted,
            changed_at = CASE WHEN wanted IS NOT NULL THEN at END,
            changed_by = CASE WHEN wanted IS NOT NULL THEN actor END
        WHERE known.task = asked;
        RETURN NEXT asked;
    END IF;
    DELETE FROM windlass_task_rate AS known WHERE known.task = asked AND known.declared IS NULL AND known.chosen IS NULL;
    PERFORM windlass_apply_rates(ARRAY[asked], at);
END
$$;

-- The rates of tasks: as the code says, and as an operator does.
-- gives rates
SELECT {TaskRateRecord} FROM windlass_task_rate WHERE (CAST(:task AS text) IS NULL OR task = :task) ORDER BY task

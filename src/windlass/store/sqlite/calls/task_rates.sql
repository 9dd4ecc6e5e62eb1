-- The rates of tasks: as the code says, and as an operator does.
-- gives rates
SELECT {TaskRateRecord} FROM windlass_task_rate WHERE (:task IS NULL OR task = :task) ORDER BY task

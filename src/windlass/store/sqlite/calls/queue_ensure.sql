-- Sets queues up as the code says, also those that only their first job has made; settings that an operator has changed, or
-- taken back, stay.
-- :queues rows (name, weight, max_length, max_running, rate, retention, retry, cooldown)
INSERT INTO windlass_queue AS queue (name, weight, max_length, max_running, rate, retention, retry, cooldown)
SELECT {queues.name}, {queues.weight}, {queues.max_length}, {queues.max_running}, {queues.rate}, {queues.retention},
    {queues.retry}, {queues.cooldown}
FROM jsonb_each(:queues) WHERE true
ON CONFLICT (name) DO UPDATE SET
    weight = iif(queue.decided -> 'weight' IS NULL, coalesce(excluded.weight, queue.weight), queue.weight),
    max_length = iif(
        queue.decided -> 'max_length' IS NULL, coalesce(excluded.max_length, queue.max_length), queue.max_length),
    max_running = iif(
        queue.decided -> 'max_running' IS NULL, coalesce(excluded.max_running, queue.max_running), queue.max_running),
    rate = iif(queue.decided -> 'rate' IS NULL, coalesce(excluded.rate, queue.rate), queue.rate),
    retention = iif(
        queue.decided -> 'retention' IS NULL, coalesce(excluded.retention, queue.retention), queue.retention),
    retry = iif(queue.decided -> 'retry' IS NULL, coalesce(excluded.retry, queue.retry), queue.retry),
    cooldown = iif(queue.decided -> 'cooldown' IS NULL, coalesce(excluded.cooldown, queue.cooldown), queue.cooldown)

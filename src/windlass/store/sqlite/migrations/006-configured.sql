-- Queues with settings that workers follow are found without a look at all queues.

CREATE INDEX windlass_queue_configured ON windlass_queue (name)
    WHERE weight IS NOT NULL OR paused_at IS NOT NULL OR retry IS NOT NULL;

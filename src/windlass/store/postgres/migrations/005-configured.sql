-- Queues with settings that workers follow are found without a look at all queues. Releases that know fewer steps go on.
-- compatible from 1
CREATE INDEX queue_configured ON windlass_queue (name)
    WHERE weight IS NOT NULL OR paused_at IS NOT NULL OR retry IS NOT NULL;

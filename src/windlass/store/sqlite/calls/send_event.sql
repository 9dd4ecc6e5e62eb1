-- Keeps an event for the jobs that wait for it, and for those that will; the newest of a name counts.
INSERT INTO windlass_sent (name, sent_at, is_new, value) VALUES (:name, :now, 1, :value)
ON CONFLICT (name) DO UPDATE SET sent_at = excluded.sent_at, is_new = 1, value = excluded.value

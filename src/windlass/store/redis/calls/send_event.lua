-- Keeps an event for the jobs that wait for it, and for those that will; the newest of a name counts.
-- KEYS sent, sent_new
-- asks name, value (or null)
-- with waits
keep_event(ask.name, now, ask.value)
return {}

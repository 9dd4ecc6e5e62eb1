-- Deletes a schedule and its ledger of fires.
-- KEYS schedules, schedules_due
-- asks name
-- gives deleted: a row, or none where it was not there
-- with schedules
redis.call('UNLINK', schedule_key(ask.name), fires_key(ask.name))
set_due(ask.name)
return {'deleted', redis.call('ZREM', KEY.schedules, ask.name) == 1 and {{1}} or {}}

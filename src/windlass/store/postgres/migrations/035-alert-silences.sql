-- A rule of alerts may be silenced for a time; alerts that fired then are marked until people are told of them. Releases
-- that know fewer steps go on, and deliver what is silenced.
-- compatible from 1

ALTER TABLE windlass_alert_rule ADD COLUMN silenced_until bigint;
ALTER TABLE windlass_alert_rule ADD COLUMN silenced_by text;
ALTER TABLE windlass_alert_rule ADD COLUMN silenced_reason text;
ALTER TABLE windlass_alert ADD COLUMN silenced_until bigint;

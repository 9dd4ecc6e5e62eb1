-- A rule of alerts may be silenced for a time; alerts that fired then are marked until people are told of them.

ALTER TABLE windlass_alert_rule ADD COLUMN silenced_until INTEGER;
ALTER TABLE windlass_alert_rule ADD COLUMN silenced_by TEXT;
ALTER TABLE windlass_alert_rule ADD COLUMN silenced_reason TEXT;
ALTER TABLE windlass_alert ADD COLUMN silenced_until INTEGER;

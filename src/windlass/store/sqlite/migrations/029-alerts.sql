-- Alerts: rules, what they have found, and what is still to be delivered of it.

CREATE TABLE windlass_alert_rule (
    name TEXT PRIMARY KEY,
    expression TEXT NOT NULL,
    scope TEXT NOT NULL,
    window_length INTEGER NOT NULL,
    severity TEXT NOT NULL,
    cool_down INTEGER NOT NULL,
    enabled INTEGER NOT NULL,
    -- JSON list of names
    channels TEXT NOT NULL,
    description TEXT NOT NULL,
    origin TEXT NOT NULL,
    is_edited INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- kept, so that code does not bring it back
    is_deleted INTEGER NOT NULL
) STRICT;

CREATE TABLE windlass_alert (
    id TEXT PRIMARY KEY,
    rule TEXT NOT NULL,
    subject TEXT NOT NULL,
    severity TEXT NOT NULL,
    expression TEXT NOT NULL,
    message TEXT NOT NULL,
    readings TEXT NOT NULL,
    state TEXT NOT NULL,
    fired_at INTEGER NOT NULL,
    acknowledged_at INTEGER,
    acknowledged_by TEXT,
    resolved_at INTEGER,
    resolved_by TEXT
) STRICT;
-- Of each rule and subject one is open at a time.
CREATE UNIQUE INDEX windlass_alert_open ON windlass_alert (rule, subject) WHERE resolved_at IS NULL;
CREATE INDEX windlass_alert_resolved ON windlass_alert (resolved_at) WHERE resolved_at IS NOT NULL;

CREATE TABLE windlass_alert_delivery (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    alert TEXT NOT NULL,
    kind TEXT NOT NULL,
    channel TEXT NOT NULL,
    state TEXT NOT NULL,
    tries INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    next_try_at INTEGER NOT NULL,
    settled_at INTEGER,
    last_error TEXT
) STRICT;
CREATE INDEX windlass_alert_delivery_due ON windlass_alert_delivery (next_try_at, number) WHERE state = 'waiting';
-- An event goes to a channel once.
CREATE UNIQUE INDEX windlass_alert_delivery_event ON windlass_alert_delivery (alert, kind, channel);
CREATE INDEX windlass_alert_delivery_settled ON windlass_alert_delivery (settled_at) WHERE settled_at IS NOT NULL;

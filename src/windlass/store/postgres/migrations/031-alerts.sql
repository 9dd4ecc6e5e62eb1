-- Alerts: rules, what they have found, and what is still to be delivered of it. Releases that know fewer steps go on,
-- without alerts.
-- compatible from 1

CREATE TABLE windlass_alert_rule (
    name text COLLATE "C" PRIMARY KEY,
    expression text NOT NULL,
    scope text NOT NULL,
    window_length bigint NOT NULL,
    severity text NOT NULL,
    cool_down bigint NOT NULL,
    enabled bigint NOT NULL,
    -- JSON list of names
    channels text NOT NULL,
    description text NOT NULL,
    origin text NOT NULL,
    is_edited bigint NOT NULL,
    revision bigint NOT NULL,
    changed_at bigint NOT NULL,
    -- kept, so that code does not bring it back
    is_deleted bigint NOT NULL
);

CREATE TABLE windlass_alert (
    id text COLLATE "C" PRIMARY KEY,
    rule text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    severity text NOT NULL,
    expression text NOT NULL,
    message text NOT NULL,
    readings text NOT NULL,
    state text NOT NULL,
    fired_at bigint NOT NULL,
    acknowledged_at bigint,
    acknowledged_by text,
    resolved_at bigint,
    resolved_by text
);
-- Of each rule and subject one is open at a time.
CREATE UNIQUE INDEX alert_open ON windlass_alert (rule, subject) WHERE resolved_at IS NULL;
CREATE INDEX alert_resolved ON windlass_alert (resolved_at) WHERE resolved_at IS NOT NULL;

CREATE TABLE windlass_alert_delivery (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alert text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    channel text NOT NULL,
    state text NOT NULL,
    tries bigint NOT NULL,
    created_at bigint NOT NULL,
    next_try_at bigint NOT NULL,
    settled_at bigint,
    last_error text
);
CREATE INDEX alert_delivery_due ON windlass_alert_delivery (next_try_at, number) WHERE state = 'waiting';
-- An event goes to a channel once.
CREATE UNIQUE INDEX alert_delivery_event ON windlass_alert_delivery (alert, kind, channel);
CREATE INDEX alert_delivery_settled ON windlass_alert_delivery (settled_at) WHERE settled_at IS NOT NULL;

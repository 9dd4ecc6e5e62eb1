-- How many alerts are open, by state and severity.
-- gives counts
SELECT state, severity, count(*) FROM windlass_alert WHERE resolved_at IS NULL GROUP BY state, severity

-- Sets the rate of a task, whatever the code says, and keeps who did it; null lets the code decide again.
-- :chosen [amount,period,burst], [] for no rate
-- :seen null, or when the caller has seen an operator's last change, 0 for none: nothing happens if there was another
-- gives changed
WITH
-- here clock
SELECT windlass_choose_rate(
    CAST(:task AS text), CAST(:chosen AS text), CAST(:by AS text), CAST(:seen AS bigint), clock.now) AS task
FROM clock

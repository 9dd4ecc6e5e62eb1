-- Whether jobs wait for tokens of the rate key {key}: others of the key line up behind them.
    EXISTS (SELECT 1 FROM windlass_rate_gate WHERE name = {key} AND opens_at IS NOT NULL)

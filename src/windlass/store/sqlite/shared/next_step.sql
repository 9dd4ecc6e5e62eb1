-- How long the next cool-down lasts, if no task chooses: as core/rates/cooldown.py: next_step. Numbers only halve 40 times
-- before nothing is left of them.
    min(:longest, max(:base, iif(:now - ends_at < :quiet, 2 * step, step >> min(40, (:now - ends_at) / :quiet))))

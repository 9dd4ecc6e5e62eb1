-- The level of a bucket at :now. Nothing comes while the clock goes back. No more is added than fills it, so that a bucket
-- of long ago does not count beyond the largest number.
    min(burst * period, level + amount * min(max(0, :now - filled_at), burst * period / amount + 1))

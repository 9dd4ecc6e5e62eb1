-- What the bucket {rate} had when this statement began, which is when its claims are noted: another that began later may have
-- filled it further, and that is taken off again. So the bound holds for the instants of claims, whatever the order in
-- which they got the lock. A bucket of more than a minute ahead is one of before the clock went back. Needs clock.
    CASE WHEN {rate}.filled_at > (SELECT clock.now FROM clock) + 60000 THEN {rate}.level
    ELSE greatest(0, least({rate}.burst * {rate}.period, {rate}.level + {rate}.amount * least(
        (SELECT clock.now FROM clock) - {rate}.filled_at, {rate}.burst * {rate}.period / {rate}.amount + 1))) END

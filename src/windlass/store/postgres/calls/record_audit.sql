-- Records a change that a person or a program has made. Cleaning removes what goes beyond a bound.
-- :most is not needed here
WITH
-- here clock
INSERT INTO windlass_audit (at, who, via, action, target, count)
SELECT clock.now, CAST(:who AS text), CAST(:via AS text), CAST(:action AS text), CAST(:target AS text),
    CAST(:count AS bigint)
FROM clock

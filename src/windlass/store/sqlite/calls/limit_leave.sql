-- Gives up a place in line.
DELETE FROM windlass_waiter WHERE name = :name AND id = :waiter

-- Nothing swells here: what is deleted is gone.
-- gives swollen: no rows
return {'swollen', {}}

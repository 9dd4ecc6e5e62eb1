-- Nothing swells here: what is deleted is gone.
-- gives bloated_tables: no rows
return {'bloated_tables', {}}

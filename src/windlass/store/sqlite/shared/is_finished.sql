-- Whether {job} has ended. In the very words of the index on finished jobs, which are no list: SQLite builds a list anew for each
-- row that is written.
    ({job}.state = 'completed' OR {job}.state = 'failed' OR {job}.state = 'cancelled')

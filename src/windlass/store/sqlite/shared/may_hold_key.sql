-- Whether {job} may hold a concurrency key, or wait for it. In the very words of its index, see is_finished.
    ({job}.state = 'pending' OR {job}.state = 'blocked' OR {job}.state = 'running')

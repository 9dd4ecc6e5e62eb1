-- Whether {job} may expire. In the very words of its index, see is_finished.
    ({job}.state = 'scheduled' OR {job}.state = 'pending' OR {job}.state = 'blocked')

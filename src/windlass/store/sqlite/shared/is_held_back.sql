-- Whether {job} waits and no worker may take it yet. In the very words of its index, see is_finished.
    ({job}.state = 'scheduled' OR {job}.state = 'retrying' OR {job}.state = 'blocked')

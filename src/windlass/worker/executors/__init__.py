"""Where user code runs: threads for functions, an event loop for coroutines."""

"""The parts of the model besides jobs: schedules, concurrency keys, rates, limits and cool-downs."""

"""The worker, piece by piece and whole, inside the test's own process."""

"""What Windlass reaches on this machine, against its goals and its peers: ``python -m benchmarks``."""

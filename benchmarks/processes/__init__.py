"""Processes beside the one that measures: a worker, a producer."""

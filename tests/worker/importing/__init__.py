"""Modules that a worker imports for jobs that name their functions."""

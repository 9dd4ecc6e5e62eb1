"""Upkeep that every worker does for all: promote, rescue, and, for the leader, clean."""

"""Moving jobs from one store to another."""

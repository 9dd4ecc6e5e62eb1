"""The worker: takes jobs from the store, runs them, hands back how they ended."""

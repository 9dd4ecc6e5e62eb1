"""The store contract: one file per verb, every test on every store that answers the verb."""

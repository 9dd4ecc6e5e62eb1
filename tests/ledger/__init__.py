"""The ledger: what users rely on, each test under the number of the promise it proves, through the public API."""

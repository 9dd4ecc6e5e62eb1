"""One module for each library whose connections callers may bring."""

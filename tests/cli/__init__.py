"""The command line, tested as the processes that users start."""

"""The side of a child process: one job at a time, in a process that may crash, leak or be killed."""

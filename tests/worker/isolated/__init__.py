"""Tasks for child processes: at the top level of a module, where a child finds them."""

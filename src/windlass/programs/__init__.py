"""Jobs that run programs: commands, one process each, and helpers, which stay and answer line by line.

Files, in reading order:

- ``command``: Declares a command: program, input, environment, exit codes.
- ``runner``: Runs commands on a worker that allows them; what an exit code means for the job.
- ``environment``: The folder and environment of a command.
- ``output``: The output of a program, bounded.
- ``pipes``: Reads and writes the pipes of a program at the same time.
- ``wait``: Waits for a program, and stops it when its run is stopped.
- ``process_group``: A program and everything it starts.
- ``reaper``: Ends programs that outlive their worker.
- ``reaper_main``: The reaper's own process.
- ``tasks``: The program tasks that one worker may run.
- ``helpers/``: Programs that are started once and asked for every job.
"""

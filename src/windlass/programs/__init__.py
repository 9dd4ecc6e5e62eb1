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
- ``helper``: Declares a helper: a program that is started once and asked for every job.
- ``helper_settings``: The settings of a helper.
- ``helper_pool``: The processes of a helper.
- ``helper_process``: One process of a helper.
- ``helper_protocol``: The messages between worker and helper: one line of JSON each way.
"""

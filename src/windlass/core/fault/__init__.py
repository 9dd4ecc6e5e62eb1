"""Attempts that did not complete their job, and their exceptions, as data.

Files, in reading order:

- ``attempts``: The attempts of a job that did not complete it; stores write them when a run ends, by their own clock.
- ``fault``: What one attempt raised: text for people, never a class to be rebuilt.
- ``history``: The faults of a job; their number is bounded however often it fails.
- ``exceptions``: Reads type and message of an exception; both may be user code that raises.
- ``frames``: Tracebacks as text.
- ``own_code``: Finds the user's own frames in a traceback.
- ``cause``: The cause of a failure: what failures that have one fix have in common.
- ``mute``: What an operator says when a cause of failures is muted.
- ``trip``: When a task trips: failures of one cause that make its backlog wait.
- ``exit_code``: How a process ended that died: its exit code in words.
- ``excerpt``: The beginning and the end of a long text.
"""

from windlass.core.fault.attempts import Attempt, Attempts, read_attempts
from windlass.core.fault.cause import fingerprint, outline, place_of
from windlass.core.fault.excerpt import Excerpt
from windlass.core.fault.fault import Fault
from windlass.core.fault.history import Faults, add_fault, add_log, read_faults

__all__ = [
    "Attempt",
    "Attempts",
    "Excerpt",
    "Fault",
    "Faults",
    "add_fault",
    "add_log",
    "fingerprint",
    "outline",
    "place_of",
    "read_attempts",
    "read_faults",
]

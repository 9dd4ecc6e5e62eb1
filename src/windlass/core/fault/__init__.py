"""Exceptions of attempts, as data.

Files, in reading order:

- ``fault``: What one attempt raised: text for people, never a class to be rebuilt.
- ``history``: The faults of a job; their number is bounded however often it fails.
- ``exceptions``: Reads type and message of an exception; both may be user code that raises.
- ``frames``: Tracebacks as text.
- ``own_code``: Finds the user's own frames in a traceback.
- ``excerpt``: The beginning and the end of a long text.
"""

from windlass.core.fault.excerpt import Excerpt
from windlass.core.fault.fault import Fault
from windlass.core.fault.history import Faults, add_fault, add_log, read_faults

__all__ = ["Excerpt", "Fault", "Faults", "add_fault", "add_log", "read_faults"]

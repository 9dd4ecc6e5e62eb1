"""What attempts raised, as data."""

from windlass.core.fault.excerpt import Excerpt
from windlass.core.fault.fault import Fault
from windlass.core.fault.history import Faults, add_fault, add_log, read_faults

__all__ = ["Excerpt", "Fault", "Faults", "add_fault", "add_log", "read_faults"]

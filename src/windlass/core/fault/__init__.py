"""What attempts raised, as data."""

from windlass.core.fault.fault import Fault
from windlass.core.fault.history import Faults, add_fault, read_faults

__all__ = ["Fault", "Faults", "add_fault", "read_faults"]

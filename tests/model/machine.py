"""Random histories, as clients, owners and operators make them, with everything that goes wrong on the way."""

from __future__ import annotations

from tests.model.clients import Clients
from tests.model.faults import Troubles
from tests.model.operators import Operators
from tests.model.owners import Owners


class StoreMachine(Clients, Owners, Operators, Troubles):
    """All of them on one store."""

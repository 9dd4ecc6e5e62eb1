"""Random histories, as clients, owners and operators make them, with everything that goes wrong on the way."""

from __future__ import annotations

from tests.model.clients import Clients
from tests.model.operators import Operators
from tests.model.owners import Owners
from tests.model.troubles import Troubles


class StoreMachine(Clients, Owners, Operators, Troubles):
    """All of them on one store."""

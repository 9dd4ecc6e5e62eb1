"""Random histories, as clients, owners, operators and leaders make them, with everything that goes wrong on the way."""

from __future__ import annotations

from tests.model.clients import Clients
from tests.model.faults import Troubles
from tests.model.operators import Operators
from tests.model.owners import Owners
from tests.model.schedulers import Schedulers


class StoreMachine(Clients, Owners, Operators, Troubles):
    """All of them on one store."""


class ScheduleMachine(Owners, Schedulers, Troubles):
    """Schedules and those who run their jobs: apart, so that what is rare in either is met often enough."""

"""Random histories, as clients, owners, operators and leaders make them, with everything that goes wrong on the way."""

from __future__ import annotations

from tests.model.rules.clients import Clients
from tests.model.rules.faults import Troubles
from tests.model.rules.flows import Flows
from tests.model.rules.limit_users import LimitUsers
from tests.model.rules.operators import Operators
from tests.model.rules.owners import Owners
from tests.model.rules.replacers import Replacers
from tests.model.rules.schedulers import Schedulers
from tests.model.rules.step_users import StepUsers
from tests.model.rules.traffic import Traffic


class StoreMachine(Clients, Owners, Operators, Troubles):
    """All of them on one store."""


class TrafficMachine(Traffic, Replacers, LimitUsers, Owners, Operators, Troubles):
    """Keys, rates and cool-downs hold back what workers ask for, while all else goes on as ever."""


class ScheduleMachine(Owners, Schedulers, Troubles):
    """Schedules and those who run their jobs: apart, so that what is rare in either is met often enough."""


class FlowMachine(StepUsers, Flows, Operators, Troubles):
    """Jobs that wait for others, and runs that sleep, record steps and wait for events."""

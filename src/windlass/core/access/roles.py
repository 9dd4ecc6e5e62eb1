"""What a caller may do: viewer, operator, admin, or worker."""

from __future__ import annotations

from enum import StrEnum

from windlass.errors import ConfigError


class Role(StrEnum):
    """Viewers look; operators also retry, cancel, pause and set limits; admins do everything. Workers enqueue and hold
    leases on their queues, and do nothing else.
    """

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"
    WORKER = "worker"

    def allows(self, needed: Role) -> bool:
        """Whether this role may do what that one may.

        >>> Role.OPERATOR.allows(Role.VIEWER), Role.WORKER.allows(Role.VIEWER), Role.OPERATOR.allows(Role.WORKER)
        (True, False, True)
        """
        if self is needed:
            return True
        if needed is Role.WORKER:  # an operator can retry and cancel what a worker may enqueue
            return self in (Role.OPERATOR, Role.ADMIN)
        return self is not Role.WORKER and _RANKS.index(self) > _RANKS.index(needed)


_RANKS = (Role.VIEWER, Role.OPERATOR, Role.ADMIN)


def role_of(value: object) -> Role:
    """A role by its name, or ``ConfigError``."""
    try:
        return Role(value)  # type: ignore[arg-type]  # whatever it is, it is compared
    except ValueError:
        raise ConfigError(f"role must be viewer, operator, admin or worker, got {value!r}") from None

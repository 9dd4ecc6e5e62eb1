"""The arguments of a job, secrets masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.core.codec.envelope import read_envelope
from windlass.errors import PayloadError
from windlass.insight.redact import redacted, redacted_arguments


@dataclass(frozen=True, slots=True)
class PayloadView:
    """The arguments as JSON values, in their tagged forms; None where the payload cannot be read."""

    args: object
    kwargs: object

    @property
    def is_unreadable(self) -> bool:
        return self.args is None

    @classmethod
    def of(cls, payload: str, parameters: Sequence[str] = ()) -> PayloadView:
        """Read a payload. A damaged one is not shown at all: its secrets cannot be masked."""
        try:
            envelope = read_envelope(payload)
        except PayloadError:
            return cls(None, None)
        return cls(redacted_arguments(envelope.args, parameters), redacted(envelope.kwargs))

"""Makes cycles, and repeats one whose reply was not received."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence

from windlass import clock
from windlass.client.session import Session
from windlass.core.encryption.encryption import Encryption
from windlass.core.ending import Ending
from windlass.core.records import Claimed
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.driver import DataRejected
from windlass.store.operations.cycle import Claimant, CycleResult, StartMark, cycle, finish
from windlass.store.operations.queries import waiting
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.logs.job_fields import about

log = logging.getLogger("windlass.worker")

_LONGEST_PAUSE = 1.0

Ended = tuple[Ending, Claimed]


class CycleClient:
    """Makes cycles. While the store is away everything stays as it is, for the next try."""

    def __init__(
        self,
        *,
        session: Session,
        attempts: AttemptRules,
        worker: str,
        lease: Callable[[], str],
        token: Callable[[], str],
        encryption: Encryption,
    ) -> None:
        self._session = session
        self._attempts = attempts
        self.worker = worker
        self._lease = lease
        self._token = token
        self._encryption = encryption
        self._no_reply: Claimant | None = None
        self._failures = 0
        self._is_unreadable = False
        """Whether the last failure was that of a read."""
        self.was_repeated = False
        """Whether the last answer belongs to a repeated cycle: the first try may have claimed nothing."""

    @property
    def has_no_reply(self) -> bool:
        """Whether a cycle got no reply: jobs may have been claimed in our name, and until they are known nothing else
        may be claimed, or they would never run.
        """
        return self._no_reply is not None

    @property
    def pause(self) -> float:
        """How many seconds to wait before the next try; 0 while the store answers."""
        if not self._failures:
            return 0.0
        # Full jitter: workers that lost their store must not come back in step.
        return min(_LONGEST_PAUSE, 0.05 * float(2**self._failures)) * clock.roll() + 0.01

    def cycle(
        self,
        endings: list[Ending],
        marks: list[StartMark],
        requests: list[tuple[str, int]],
        *,
        takes_suspect: bool,
        ended_in: Collection[str],
    ) -> CycleResult | None:
        """Make one cycle; None where the store is away. Raises ``DataRejected``, and then nothing of it was written."""
        claimant = self._no_reply or Claimant(self.worker, self._lease(), self._token())
        try:
            cycled = self._repeated(claimant, endings, marks, requests, takes_suspect=takes_suspect, ended_in=ended_in)
        except DataRejected as error:
            if not endings:
                self._note_failure(error)  # it rejected nothing of ours
            raise
        except StoreUnavailable as error:
            self._is_unreadable = False
            self._note_failure(error)
            return None
        self._note_answer()
        self.was_repeated, self._no_reply = self._no_reply is not None, None
        return cycled

    def waiting(self, queues: Sequence[str]) -> frozenset[str] | None:
        """Which queues have work, of these or of all; None where the store is away."""
        try:
            found = self._session.run(waiting(queues))
        except StoreUnavailable as error:
            self._is_unreadable = True
            self._note_failure(error)
            return None
        if self._is_unreadable:  # a store that can be read may still not take writes
            self._note_answer()
        return found

    def write_alone(self, ended: Ended) -> Collection[int] | None:
        """Write one ending, or, if it cannot be stored, a failure that says so; None where the store is away."""
        ending, job = ended
        try:
            return self._written(ending, job)
        except StoreUnavailable as error:
            self._note_failure(error)
            return None

    def _repeated(
        self,
        claimant: Claimant,
        endings: Sequence[Ending],
        marks: Sequence[StartMark],
        requests: Sequence[tuple[str, int]],
        *,
        takes_suspect: bool,
        ended_in: Collection[str],
    ) -> CycleResult:
        try:
            return self._session.run(
                cycle(
                    claimant,
                    endings=endings,
                    marks=marks,
                    requests=requests,
                    takes_suspect=takes_suspect,
                    ended_in=ended_in,
                    encryption=self._encryption,
                )
            )
        except OutcomeUnknown:
            # The same token without claim requests re-reads what the first try claimed, if it did.
            self._no_reply = claimant
            return self._session.run(
                cycle(claimant, endings=endings, marks=marks, ended_in=ended_in, encryption=self._encryption)
            )

    def _written(self, ending: Ending, job: Claimed) -> Collection[int]:
        try:
            return self._session.run(finish([ending], worker=self.worker))
        except DataRejected as error:
            text = "job %s: its ending cannot be stored, so it fails: %s"
            log.error(text, job.id, error, extra=about(job, "ending_refused"))
            return self._written_failure(self._attempts.of_refused_data(ending, job, error), job)

    def _written_failure(self, ending: Ending, job: Claimed) -> Collection[int]:
        try:
            return self._session.run(finish([ending], worker=self.worker))
        except DataRejected as error:
            text = "job %s: not even its failure can be stored; it waits for a rescue: %s"
            log.critical(text, job.id, error, extra=about(job, "ending_refused"))
            return ()

    def _note_answer(self) -> None:
        if self._failures:
            log.info("the store is back", extra={"event": "store_back"})
        self._failures, self._is_unreadable = 0, False

    def _note_failure(self, error: Exception) -> None:
        if not self._failures:
            log.warning("store unavailable, trying until it is back: %s", error, extra={"event": "store_away"})
        self._failures = min(self._failures + 1, 10)

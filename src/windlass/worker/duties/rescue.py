"""Rescues the jobs of workers whose lease has expired."""

from __future__ import annotations

import logging
from collections.abc import Callable

from windlass.client.session import Session
from windlass.errors import StoreUnavailable
from windlass.store.driver import Topic
from windlass.store.operations.rescue import rescue
from windlass.worker.duties.rescue_deferral import RescueDeferral
from windlass.worker.duties.store_watch import StoreWatch

log = logging.getLogger("windlass.duties")


class Rescue:
    """Every worker does it, but waits after an outage or a step of the store's clock."""

    name = "rescue"
    needs_lead = False

    def __init__(
        self, *, session: Session, by: str, now: Callable[[], int], store_watch: StoreWatch, deferral: RescueDeferral
    ) -> None:
        self._session = session
        self._by = by
        self._now = now
        self._store_watch = store_watch
        self._deferral = deferral
        self.did = ""

    def tick(self) -> float:
        # Promotion reads just as often; only while that is held up the store is read again for the leases.
        expiry = self._store_watch.read(max_age=2 * self._store_watch.longest_pause).next_expiry
        if expiry is not None and expiry <= 0 and not self._deferral.is_active:
            self._rescue()
        return self._store_watch.pause(expiry)

    def _rescue(self) -> None:
        try:
            rescued = self._session.run(rescue(by=self._by, now=self._now))
        except StoreUnavailable:
            self._deferral.note_outage()
            raise
        self._store_watch.note_rescue()
        for job in rescued:
            fields = {"event": "job_rescued", "job": job.id, "state": str(job.state)}
            log.warning("rescued job %s from a dead worker; it is %s now", job.id, job.state, extra=fields)
        if rescued:
            self.did = f"rescued {len(rescued):,}"
            self._session.notify(Topic.WORK)

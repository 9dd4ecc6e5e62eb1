"""The operator's methods for upkeep by hand: rescue, promote, clean, merge figures, encrypt again, migrate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.admin.cleanup.cleanup import Cleaned, clean, cleanings
from windlass.client.owner import ClientOwner
from windlass.client.session import ANY_JOB
from windlass.core import validate
from windlass.store.operation import Operation
from windlass.store.operations import jobs
from windlass.store.operations.figures.roll_up import RolledUp, roll_up_once
from windlass.store.operations.rescue import Rescued, rescue

if TYPE_CHECKING:
    from windlass.admin.rekey import Rekeyed


class UpkeepOperator(ClientOwner):
    """The part of ``Windlass`` that does once what duties do again and again, and changes the store itself."""

    def rescue(self) -> list[Rescued]:
        """Free the jobs of workers that died; returns what was freed and where it went."""
        return self.client.session.upkeep(rescue(by=self.client.actor, now=self.client.now), notify=ANY_JOB)

    async def arescue(self) -> list[Rescued]:
        """``rescue`` for async code."""
        return await self.client.session.aupkeep(rescue(by=self.client.actor, now=self.client.now), notify=ANY_JOB)

    def promote(self) -> int:
        """Make jobs pending whose time has come; how many."""
        return self.client.session.run(jobs.promote(by=self.client.actor), notify=ANY_JOB)

    async def apromote(self) -> int:
        """``promote`` for async code."""
        return await self.client.session.arun(jobs.promote(by=self.client.actor), notify=ANY_JOB)

    def clean(self) -> Cleaned:
        """Delete or archive finished jobs that retention does not keep; returns what was done and how long it took."""
        return self.client.session.upkeep(self._clean())

    async def aclean(self) -> Cleaned:
        """``clean`` for async code."""
        return await self.client.session.aupkeep(self._clean())

    def cleanings(self, limit: int = 50) -> list[dict[str, Any]]:
        """The last cleanings, the newest first."""
        return self.client.session.run(cleanings(limit))

    async def acleanings(self, limit: int = 50) -> list[dict[str, Any]]:
        """``cleanings`` for async code."""
        return await self.client.session.arun(cleanings(limit))

    def roll_up(self) -> RolledUp:
        """Merge what workers have gathered into figures, and remove old ones; returns what was done."""
        return self.client.session.upkeep(roll_up_once())

    async def aroll_up(self) -> RolledUp:
        """``roll_up`` for async code."""
        return await self.client.session.aupkeep(roll_up_once())

    def rekey(self, *, clear: bool = False) -> Rekeyed:
        """Encrypt anew what is stored under an older key; with ``clear`` also what was stored without one.

        Runs beside workers, may be repeated, and says what it found.
        """
        from windlass.admin.rekey import rekey_store

        return rekey_store(self.client, clear=validate.flag(clear, "clear"))

    async def arekey(self, *, clear: bool = False) -> Rekeyed:
        """``rekey`` for async code."""
        return await self.client.session.acall(lambda: self.rekey(clear=clear))

    def migrate(self) -> list[str]:
        """Bring the store's schema up to date; the steps that were taken."""
        return self.client.session.migrate()

    async def amigrate(self) -> list[str]:
        """``migrate`` for async code."""
        return await self.client.session.acall(self.client.session.migrate)

    def migration_sql(self) -> str:
        """The SQL that ``migrate`` would run on PostgreSQL, to run it by hand; changes nothing.

        Empty where nothing is missing, and on SQLite and Redis, which migrate by themselves.
        """
        return self.client.session.migration_sql()

    async def amigration_sql(self) -> str:
        """``migration_sql`` for async code."""
        return await self.client.session.acall(self.client.session.migration_sql)

    def _clean(self) -> Operation[Cleaned]:
        client = self.client
        return clean(client.retention, client.archive, by=client.actor, monotonic=clock.monotonic)

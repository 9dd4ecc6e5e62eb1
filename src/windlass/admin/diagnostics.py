"""The operator's methods for when something is wrong: diagnose the store, compare it with the code."""

from __future__ import annotations

from windlass.client.owner import ClientOwner
from windlass.core.units import milliseconds
from windlass.errors import Duration, WindlassError
from windlass.insight.diagnostics.code import CodeCheck, check_code
from windlass.insight.diagnostics.doctor import diagnose, unreachable
from windlass.insight.diagnostics.finding import Diagnosis


class DiagnosticsOperator(ClientOwner):
    """The part of ``Windlass`` that is asked when something is wrong. Nothing here changes anything."""

    def diagnose(self, *, stuck_after: Duration = "1h") -> Diagnosis:
        """Everything that is wrong with the store and the processes around it, each with a remedy.

        A job counts as stuck that has run, or has been ready, for ``stuck_after``. A store that cannot be reached is a
        finding, not an exception.
        """
        length = milliseconds(stuck_after, "stuck_after")
        facts: dict[str, str] = {}
        try:
            facts = self.client.session.facts()
            return self.client.session.run(diagnose(self.client, facts, stuck_after=length))
        except WindlassError as error:
            return unreachable(error, facts)

    async def adiagnose(self, *, stuck_after: Duration = "1h") -> Diagnosis:
        """``diagnose`` for async code."""
        return await self.client.session.acall(lambda: self.diagnose(stuck_after=stuck_after))

    def check_code(self) -> CodeCheck:
        """Compare the jobs that wait with the tasks of this program: unknown tasks, arguments that no longer fit."""
        self.client.load_included()
        return self.client.session.run(check_code(self.client))

    async def acheck_code(self) -> CodeCheck:
        """``check_code`` for async code."""
        self.client.load_included()
        return await self.client.session.arun(check_code(self.client))

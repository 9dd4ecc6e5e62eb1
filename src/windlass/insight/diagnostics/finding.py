"""One finding of a diagnosis."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing."""
    PROBLEM = "problem"
    """To be mended."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about a subject, and what to do about it."""

    level: Level
    subject: str
    """store, durability, clock, configuration, workers, queues, jobs, tasks, limits, schedules, events."""
    text: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All findings, in the order of the subjects."""

    findings: list[Finding]
    facts: dict[str, str] = field(default_factory=dict)
    """What the store says of itself: version, schema, settings that decide what it keeps."""

    @property
    def problems(self) -> list[Finding]:
        """What has to be mended."""
        return [finding for finding in self.findings if finding.level is Level.PROBLEM]


def or_well(subject: str, findings: Iterable[Finding], text: str) -> list[Finding]:
    """The findings about a subject; where there are none, that it is well."""
    return list(findings) or [Finding(Level.OK, subject, text)]

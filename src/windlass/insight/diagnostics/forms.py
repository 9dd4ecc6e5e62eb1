"""What diagnoses and checks found, as values for JSON."""

from __future__ import annotations

from windlass.insight.diagnostics.code import CodeCheck
from windlass.insight.diagnostics.consistency import Consistency, sentence
from windlass.insight.diagnostics.finding import Diagnosis


def diagnosis(found: Diagnosis) -> dict[str, object]:
    """All findings, how many of them are problems, and what the store says of itself."""
    return {
        "findings": [
            {"level": str(one.level), "subject": one.subject, "text": one.text, "remedy": one.remedy}
            for one in found.findings
        ],
        "problems": len(found.problems),
        "facts": found.facts,
    }


def consistency(found: Consistency) -> dict[str, object]:
    """Where the store contradicts itself, and what of it was set right."""
    return {
        "damages": [
            {
                "kind": one.kind,
                "subject": one.subject,
                "text": sentence(one),
                "mended": one in found.mended,
            }
            for one in found.damages
        ],
        "left": len(found.left),
        "examined": found.examined,
    }


def code_check(found: CodeCheck) -> dict[str, object]:
    """Waiting jobs that the code at hand cannot run, by task and reason."""
    return {
        "misfits": [
            {"task": one.task, "kind": one.kind, "text": one.text, "count": one.count, "sample": one.sample}
            for one in found.misfits
        ],
        "examined": found.examined,
        "whole": found.is_whole,
    }

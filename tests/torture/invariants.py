"""Checks the invariants by what tasks and callers witnessed and by the store, never by the workers' own word.

Each check names the invariant that a finding breaks. None of them measures how fast the machine is: where a lease may
have been lost because a process or the store did not get its turns, that is an excuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from tests.torture.evidence import Evidence, Run
from tests.torture.finding import Finding
from tests.torture.flows import checks as flows
from tests.torture.flows.setting import STEPPING
from tests.torture.leases import checks as leases
from tests.torture.leases.setting import REMOTE
from tests.torture.plan import OF_STORE, Kind
from tests.torture.results import fence_of_result
from tests.torture.suspects import checks as suspects
from tests.torture.traffic import checks as traffic
from tests.torture.traffic.setting import METERED
from tests.torture.workload import BRIEF
from windlass.core.fault import read_faults
from windlass.core.meta import read_meta
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State
from windlass.core.suspect import CRASHES_ALLOWED

Check = Callable[[Evidence], Iterator[Finding]]

ENDINGS: dict[str, set[tuple[State, str | None]]] = {
    "failing": {(State.COMPLETED, None), (State.FAILED, "attempts")},
    "limited": {(State.FAILED, "timeout"), (State.FAILED, "attempts")},
    "ilimited": {(State.FAILED, "timeout"), (State.FAILED, "attempts")},
    "alimited": {(State.FAILED, "timeout"), (State.FAILED, "attempts")},
    "tired": {(State.FAILED, "timeout"), (State.FAILED, "attempts")},
    "poison": {(State.FAILED, "crashed")},
    "ipoison": {(State.FAILED, "crashed")},
    REMOTE: {(State.COMPLETED, None), (State.FAILED, "attempts")},
    # Its only attempt may have met anything.
    "once": {(State.COMPLETED, None), *((State.FAILED, r) for r in ("crashed", "attempts", "interrupted", "timeout"))},
}
"""How the jobs of a task may end; all others complete."""
_COMPLETED: set[tuple[State, str | None]] = {(State.COMPLETED, None)}
_TAKEN_ALONG = (State.CANCELLED, "dependency")
"""How a job of a flow may end; a check of its own says when."""
_CAUSES = ("rescued", "handed_back", "released", "interrupted", "retried")
"""Events after which a job runs again without a charge."""
_SNOOZING = ("snoozing", "sending", *METERED, *STEPPING)
"""Tasks that come back by themselves."""
_STALL = 4.5
"""Seconds without a single run, though jobs were there and workers had their turns: nearly a call's deadline."""
_LONG_STALL = 6.0
"""Seconds of a longer stall that are looked at."""
_REPEATED = 6.0
"""Seconds in which a call that a store swallowed is over by its deadline, and repeated."""
_RECOVERY = 25.0
"""Seconds; ten are promised, on a machine that does nothing else."""
STOPS = (Kind.STOP_WORKER, Kind.RELOAD_WORKER)


def nothing_is_lost(seen: Evidence) -> Iterator[Finding]:
    """I1: what was acknowledged is there, or has run and was cleaned away."""
    for id in sorted(seen.acked - seen.records.keys()):
        has_run = any(run.how == "returned" for run in seen.runs.get(id, ()))
        if not id.startswith(BRIEF):
            yield Finding("I1", f"job {id} was acknowledged and is not there")
        elif not has_run and id not in seen.may_be_cancelled:
            yield Finding("I1", f"job {id} was cleaned away although it never ran to its end")


def callers_were_told_the_truth(seen: Evidence) -> Iterator[Finding]:
    """I10: what was refused, or rolled back, is not there."""
    for id, why in sorted(seen.refused.items()):
        if id in seen.records and id not in seen.acked and id not in seen.unsure:
            yield Finding("I10", f"job {id} was refused ({why}) and is there: {seen.records[id].state}")
    scheduled = {id for id, job in seen.records.items() if read_meta(job.meta).schedule is not None}
    for id in sorted(seen.runs.keys() - seen.asked - scheduled):
        yield Finding("I10", f"job {id} ran and nobody had asked for it")


def every_job_has_ended(seen: Evidence) -> Iterator[Finding]:
    """I6: once the faults are over, nothing waits for ever."""
    for id, job in sorted(seen.records.items()):
        if job.state not in FINISHED:
            yield Finding("I6", f"job {id} is {job.state} for ever; {_account(job, seen)}")


def no_fence_runs_twice(seen: Evidence) -> Iterator[Finding]:
    """I2: a claim is one run; fences grow."""
    for id, runs in seen.runs.items():
        fences = [run.fence for run in runs]
        for earlier, later in pairwise(sorted(fences)):
            if earlier == later:
                yield Finding("I2", f"job {id} ran twice under fence {earlier}; {_told(runs)}")


def nobody_is_robbed(seen: Evidence) -> Iterator[Finding]:
    """I2: a run whose process and store had their turns keeps its lease: no rescue, and no other run beside it."""
    for id, runs in seen.runs.items():
        for earlier, later in pairwise(runs):
            has_ended = earlier.ended is not None and earlier.ended <= later.began
            is_lost = not has_ended or earlier.fence in seen.rescued.get(id, ())
            # What came after the end of a run counts too: it may have kept the ending from the store.
            is_calm = seen.is_calm(earlier.began - seen.lease, later.began, earlier.pid)
            if earlier.fence < later.fence and is_lost and is_calm:
                yield Finding("I2", f"job {id} was taken from a run that was well; {_told(runs)}")


def the_fence_decided(seen: Evidence) -> Iterator[Finding]:
    """I3: the result that is stored is that of the run whose fence the job has, and that run returned."""
    for id, job in seen.records.items():
        if job.state is not State.COMPLETED:
            continue
        fence = fence_of_result(job)
        returned = [run.fence for run in seen.runs.get(id, ()) if run.how == "returned"]
        if fence != job.fence:
            yield Finding("I3", f"job {id} has fence {job.fence} and the result of fence {fence}")
        if fence not in returned:
            yield Finding("I3", f"job {id} is completed by a run that did not return; {_account(job, seen)}")


def an_ending_is_final(seen: Evidence) -> Iterator[Finding]:
    """I4: whoever waited was told what the store says at the end."""
    for line in seen.saw:
        job = seen.records.get(line.job)
        if job is None:
            continue
        if line.state != job.state:
            yield Finding("I4", f"job {line.job} was {line.state} and is {job.state}")
        elif line.fence is not None and line.fence != fence_of_result(job):
            yield Finding("I4", f"job {line.job} had the result of fence {line.fence}, now of {fence_of_result(job)}")
    for id, job in seen.records.items():
        after = [run for run in seen.runs.get(id, ()) if run.fence > job.fence]
        if job.state in FINISHED and after:
            yield Finding("I4", f"job {id} ran after its end; {_account(job, seen)}")


def attempts_are_right(seen: Evidence) -> Iterator[Finding]:
    """I5: charged are runs, never mere claims, and no more than allowed; one attempt means one run."""
    for id, job in seen.records.items():
        runs = len(seen.runs.get(id, ()))
        if job.attempt > job.max_attempts:
            yield Finding("I5", f"job {id} was charged {job.attempt} of {job.max_attempts} attempts")
        if job.crashes > CRASHES_ALLOWED:
            yield Finding("I5", f"job {id} crashed {job.crashes} times")
        # A run that is cancelled in its first instant is charged, and has no time for a witness; nor has one whose
        # process dies then. Crashes are forgotten after an error, rescues are kept in the story.
        deaths = max(job.crashes, seen.kinds.get(id, ()).count("rescued"))
        if job.attempt - deaths > runs + (id in seen.may_be_cancelled):
            yield Finding("I5", f"job {id} was charged for runs that never began; {_account(job, seen)}")
        if job.max_attempts == 1 and runs > 1:
            yield Finding("I5", f"job {id} may run once and ran {runs} times; {_account(job, seen)}")


def keys_are_free_again(seen: Evidence) -> Iterator[Finding]:
    """I1: a request for a unique job is not swallowed by one that has finished."""
    for held in seen.held_keys:
        yield Finding("I1", f"job {held.id} was kept off by {held.of}, which the caller had seen finished")


def cancels_are_obeyed(seen: Evidence) -> Iterator[Finding]:
    """I3: a job whose cancel was taken is never claimed again."""
    for id, cancel in seen.cancels.items():
        later = [run for run in seen.runs.get(id, ()) if run.fence > cancel.fence]
        if later:
            yield Finding("I3", f"job {id} was cancelled at fence {cancel.fence} and ran again; {_told(later)}")


def innocents_complete(seen: Evidence) -> Iterator[Finding]:
    """I11: each job ends as its own code says; only what kills processes fails for that."""
    for id, job in sorted(seen.records.items()):
        if job.state not in FINISHED or (job.state is State.CANCELLED and id in seen.may_be_cancelled):
            continue
        if (job.state, job.reason) in {*ENDINGS.get(job.task, _COMPLETED), _TAKEN_ALONG}:
            continue
        if (job.state, job.reason) == (State.FAILED, "crashed") and _may_have_crashed(job, seen):
            continue
        yield Finding("I11", f"job {id} ended {job.state} ({job.reason}); {_account(job, seen)}")


def callers_hold_nobody_up(seen: Evidence) -> Iterator[Finding]:
    """I11: while a caller leaves its transaction open, the jobs of others go on."""
    begins = sorted(run.began for runs in seen.runs.values() for run in runs)
    for incident in seen.incidents:
        if incident.fault.kind is not Kind.OPEN_TRANSACTION or incident.until is None:
            continue
        marks = [incident.at, *(at for at in begins if incident.at < at < incident.until), incident.until]
        for earlier, later in pairwise(marks):
            # A worker that gives up after some seconds stood still for as long.
            to = min(later, earlier + _LONG_STALL)
            if later - earlier <= _STALL or seen.was_away(earlier, to, afterwards=_REPEATED):
                continue
            if seen.had_work(earlier, to):
                yield Finding("I11", f"no run began for {later - earlier:.1f} s beside a caller's open transaction")


def workers_wait_for_no_caller(seen: Evidence) -> Iterator[Finding]:
    """I11: no statement of a worker waits for a lock that a caller's open transaction has."""
    for incident in seen.incidents:
        for statement in incident.held_up:
            yield Finding("I11", f"a worker waited for a caller's open transaction: {statement}")


def the_store_is_taken_up_again(seen: Evidence) -> Iterator[Finding]:
    """I8: once the store is back, workers go on by themselves."""
    begins = sorted(run.began for runs in seen.runs.values() for run in runs)
    for incident in seen.incidents:
        until = incident.until
        if incident.fault.kind not in OF_STORE or until is None:
            continue
        first = next((began for began in begins if began > until), None)
        if first is not None and first - until > _RECOVERY and seen.had_work(until, first):
            yield Finding("I8", f"no run began for {first - until:.1f} s after: {incident.fault.kind}")


def endings_are_kept(seen: Evidence) -> Iterator[Finding]:
    """I12: a job whose run has returned runs again only if its story says how that run was lost or given up."""
    for id, told in seen.told.items():
        runs = seen.runs[id]
        for run in runs:
            is_last = all(other.fence <= run.fence for other in runs)
            if run.how == "returned" and not (is_last or run.fence in told or _was_given_up(run, seen)):
                yield Finding("I12", f"job {id} ran again after fence {run.fence} had returned; {_told(runs)}")


def runs_are_explained(seen: Evidence) -> Iterator[Finding]:
    """I12: each run beyond the first has a cause in the job's own story."""
    for id, kinds in seen.kinds.items():
        job = seen.records.get(id)
        if job is None or job.task in _SNOOZING:
            continue
        runs = len(seen.runs[id])
        causes = job.attempt + sum(kinds.count(kind) for kind in _CAUSES)
        causes += sum(_was_stopped(run, seen) for run in seen.runs[id])
        if runs > max(1, causes):
            yield Finding(
                "I12", f"job {id} ran {runs} times with {causes} causes: {list(kinds)}; {_account(job, seen)}"
            )


CHECKS: tuple[Check, ...] = (
    nothing_is_lost,
    no_fence_runs_twice,
    nobody_is_robbed,
    the_fence_decided,
    cancels_are_obeyed,
    an_ending_is_final,
    attempts_are_right,
    every_job_has_ended,
    callers_were_told_the_truth,
    keys_are_free_again,
    innocents_complete,
    callers_hold_nobody_up,
    workers_wait_for_no_caller,
    the_store_is_taken_up_again,
    endings_are_kept,
    runs_are_explained,
    *suspects.CHECKS,
    *traffic.CHECKS,
    *flows.CHECKS,
    *leases.CHECKS,
)


_AT_THE_END = {"I6", "I7", "I12", "I17"}
"""What can be judged only when all jobs should have ended, and all is written that tells of them."""


def broken(seen: Evidence) -> list[Finding]:
    """Everything that the evidence shows to be wrong."""
    return [finding for check in CHECKS for finding in check(seen)]


def broken_so_far(seen: Evidence) -> list[Finding]:
    """The same in the middle of a run."""
    return [finding for finding in broken(seen) if finding.invariant not in _AT_THE_END]


def _may_have_crashed(job: JobRecord, seen: Evidence) -> bool:
    """Whether it had used up its attempts, or met three deaths of which a known suspect caused one at the most.

    A last attempt that had begun may not be repeated, whoever is to blame. The first death that a job meets makes it a
    suspect, whoever caused it; after that it has no other suspect beside it. Its rescues are one death at the most.
    """
    if job.crashes > 0 and job.attempt >= job.max_attempts:
        return True
    deaths = job.crashes + min(job.rescues, 1)
    return deaths >= CRASHES_ALLOWED and _unlucky(job, seen) >= deaths - 1


def _unlucky(job: JobRecord, seen: Evidence) -> int:
    """How often the job's process ended, or lost its lease, through no known suspect.

    The first death of a poisonous job may be charged to all that ran beside it; a later one is that job's alone, unless
    its own lease had been lost before.
    """
    # A poison's lines come in the order of its deaths.
    later = [death for deaths in seen.dying.values() for death in deaths[1:]]
    killed_by_suspects = {death.pid for death in later if seen.was_well(death.at, death.pid)}
    lost = [run for run in seen.runs.get(job.id, ()) if run.ended is None or run.fence in seen.rescued.get(job.id, ())]
    # A run that was marked and had no time for a line, as in a child that was about to start, tells no process.
    unseen = set(seen.rescued.get(job.id, ())) - {run.fence for run in seen.runs.get(job.id, ())}
    return len(unseen) + sum(run.pid not in killed_by_suspects for run in lost)


def _was_given_up(run: Run, seen: Evidence) -> bool:
    """Whether its worker was stopped, or could not renew its lease: then what returns may have been cut short, so it is
    released, and the event that tells of it may not reach the store either.
    """
    return _was_stopped(run, seen) or (run.ended is not None and seen.is_troubled(run.began, run.ended))


def _was_stopped(run: Run, seen: Evidence) -> bool:
    """Whether the run was in a process that was told to stop before it ended: such a run is released, which leaves no
    event where it had hardly begun.
    """
    return any(
        incident.pid in (run.pid, seen.parents.get(run.pid)) and (run.ended is None or run.ended > incident.at)
        for incident in seen.incidents
        if incident.fault.kind in STOPS
    )


def _account(job: JobRecord, seen: Evidence) -> str:
    faults = read_faults(job.errors).faults
    last = f"; last error: {faults[-1].type}: {faults[-1].message[:120]}" if faults else ""
    return (
        f"task {job.task}, queue {job.queue}, attempt {job.attempt} of {job.max_attempts}, crashes {job.crashes}, "
        f"rescues {job.rescues}, fence {job.fence}, worker {job.worker}; {_told(seen.runs.get(job.id, []))}{last}"
    )


def _told(runs: list[Run]) -> str:
    lines = [
        f"fence {r.fence} in {r.pid} at {r.began:.2f} until {r.ended and round(r.ended, 2)} ({r.how})" for r in runs
    ]
    return "runs: " + ", ".join(lines[:6])

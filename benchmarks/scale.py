"""How much is measured: the numbers behind ``--quick`` and the full run. Seconds, jobs and counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Sizes of all measurements."""

    name: str
    rounds: int
    warm_up_jobs: int
    """Jobs that run before the timed ones, in the same worker."""
    drain_jobs: int
    enqueue_seconds: float
    bulk_batch: int
    probes: int
    """Jobs sent one by one to an idle worker."""
    load_seconds: float
    busy_backlog: int
    """Jobs that keep a worker busy while somebody else enqueues."""
    sustained_seconds: float
    sustained_warm_up: float
    small_backlog: int
    large_backlog: int
    claims: int
    moved_jobs: int
    rest_settling: float
    rest_seconds: float
    imports: int
    many_workers: int
    """Idle workers that wait for the same jobs."""
    most_processes: int
    """Worker processes of one drain, at the most."""
    poison_lease: str
    """The lease of workers that poison kills: what they held comes back after it."""
    poison_jobs: int
    """Jobs beside those that kill their process."""
    due_schedules: int
    """Schedules that are due at the same instant."""
    resting_schedules: int
    log_jobs: int
    """Jobs that are drained while lines of log for each run go on and off."""
    log_window: float
    """Seconds between two switches that are measured."""
    fire_pairs: int
    """Drains beside clients of a web process, and alone."""
    fire_jobs: int
    fire_streams: int
    few_page_jobs: int
    """Jobs beside which the pages of the dashboard are asked for."""
    many_page_jobs: int
    page_requests: int
    """How often each page is asked for, after a first time."""
    page_visits: int
    """How often a browser goes to each page."""
    painted_pages: int | None
    """How many pages a browser goes to; None for all."""
    peer_jobs: int
    """Peers drain fewer jobs, so that a round of theirs lasts about as long."""


FULL = Scale(
    name="full",
    rounds=3,
    warm_up_jobs=2_000,
    drain_jobs=60_000,
    enqueue_seconds=3.0,
    bulk_batch=1_000,
    probes=300,
    load_seconds=8.0,
    busy_backlog=200_000,
    sustained_seconds=60.0,
    sustained_warm_up=3.0,
    small_backlog=1_000,
    large_backlog=1_000_000,
    claims=200,
    moved_jobs=100_000,
    rest_settling=3.0,
    rest_seconds=15.0,
    imports=7,
    many_workers=64,
    most_processes=4,
    poison_lease="30s",
    poison_jobs=4_000,
    due_schedules=1_000,
    resting_schedules=10_000,
    log_jobs=800_000,
    log_window=0.4,
    fire_pairs=3,
    fire_jobs=200_000,
    fire_streams=200,
    few_page_jobs=10_000,
    many_page_jobs=1_000_000,
    page_requests=7,
    page_visits=3,
    painted_pages=None,
    peer_jobs=3_000,
)

QUICK = Scale(
    name="quick",
    rounds=1,
    warm_up_jobs=1_000,
    drain_jobs=20_000,
    enqueue_seconds=1.0,
    bulk_batch=1_000,
    probes=100,
    load_seconds=2.5,
    busy_backlog=40_000,
    sustained_seconds=10.0,
    sustained_warm_up=1.0,
    small_backlog=1_000,
    large_backlog=200_000,
    claims=60,
    moved_jobs=10_000,
    rest_settling=1.0,
    rest_seconds=3.0,
    imports=3,
    many_workers=16,
    most_processes=4,
    poison_lease="30s",
    poison_jobs=4_000,
    due_schedules=1_000,
    resting_schedules=2_000,
    log_jobs=300_000,
    log_window=0.4,
    fire_pairs=3,
    fire_jobs=100_000,
    fire_streams=200,
    few_page_jobs=10_000,
    many_page_jobs=100_000,
    page_requests=3,
    page_visits=1,
    painted_pages=None,
    peer_jobs=1_000,
)

SMOKE = Scale(
    name="smoke",
    rounds=1,
    warm_up_jobs=20,
    drain_jobs=100,
    enqueue_seconds=0.05,
    bulk_batch=50,
    probes=5,
    load_seconds=0.3,
    busy_backlog=5_000,
    sustained_seconds=0.5,
    sustained_warm_up=0.2,
    small_backlog=100,
    large_backlog=1_000,
    claims=4,
    moved_jobs=100,
    rest_settling=0.1,
    rest_seconds=0.2,
    imports=1,
    many_workers=2,
    most_processes=1,
    poison_lease="2s",
    poison_jobs=20,
    due_schedules=5,
    resting_schedules=20,
    log_jobs=12_000,
    log_window=0.02,
    fire_pairs=1,
    fire_jobs=2_000,
    fire_streams=5,
    few_page_jobs=200,
    many_page_jobs=400,
    page_requests=1,
    page_visits=1,
    painted_pages=2,
    peer_jobs=50,
)
"""Tiny: shows that everything works, measures nothing."""

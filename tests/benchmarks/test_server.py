"""What a server's processes have used."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from benchmarks.server import Meter, Server, cpu_seconds, parent_of, process_named

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of processes on Linux only")

_BURNED = 0.3
_BURN = f"""
import sys, time
while time.process_time() < {_BURNED}: pass
print("burned", flush=True)
sys.stdin.read()
"""


def test_time_of_children_counts_while_they_live_and_after() -> None:
    before = cpu_seconds(os.getpid())
    with subprocess.Popen([sys.executable, "-c", _BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        alive = cpu_seconds(os.getpid()) - before
        assert cpu_seconds(child.pid) >= _BURNED * 0.9
    assert alive >= _BURNED * 0.9
    assert cpu_seconds(os.getpid()) - before >= alive


def test_without_a_process_there_is_no_figure() -> None:
    meter = Meter(Server())
    assert meter.per_job(10) == {}
    assert meter.percent(1.0) == {}


def test_a_meter_counts_from_when_it_was_made() -> None:
    meter = Meter(Server("here", os.getpid()))
    used = meter.per_job(1)["server_cpu_us_per_job"]
    assert 0 <= used < cpu_seconds(os.getpid()) * 1e6


def test_a_process_of_another_name_is_not_the_server() -> None:
    assert process_named(os.getpid(), ("postgres",)) is None
    assert parent_of(os.getpid()) == os.getppid()

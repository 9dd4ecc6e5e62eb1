"""A module that cannot be imported, for a test that asks a worker to try."""

from __future__ import annotations

import sys

sys.exit("this module wants to end the process")

"""An app for ``windlass worker -A benchmarks.processes.noops``: the tasks of all drains."""

from __future__ import annotations

import os

from benchmarks.place import Place
from benchmarks.subject import Subject

app = Subject(Place(os.environ["WINDLASS_URL"], os.environ["WINDLASS_NAMESPACE"])).app

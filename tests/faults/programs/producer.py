"""Enqueues for ever, one by one or in bulk, and says what has returned."""

from __future__ import annotations

import sys
from itertools import count

from tests.faults.programs.tasks import note, say

if __name__ == "__main__":
    size = int(sys.argv[1])
    for number in count():
        if size == 1:
            say("returned", note.enqueue(number).id)
        else:
            say("calling", number)
            note.enqueue_many([(number,) for number in range(size)])
            say("returned", number)

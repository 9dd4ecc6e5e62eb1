"""When schedules are due and which of their slots fire.

Files, in reading order:

- ``cron``: When a schedule is due: cron expressions in a time zone.
- ``interval``: Every so often, anchored, so that it never drifts.
- ``zones``: Time zones by name, and which zone data this system has.
- ``timetable``: The slots of one schedule, each with its jitter.
- ``slots``: Which slots of a schedule fire now: pure, from the last planned instant and the time.
- ``preview``: The next slots of a schedule, with a note where the clocks change.
- ``policies``: The policies of a schedule, and what became of its slots.
"""

"""The types that JSON does not have, a module for each kind.

Files, in reading order:

- ``scalars``: The fixed table of tagged types that contain no other values.
- ``datetimes``: Dates, times and durations in tagged form.
- ``enums``: Enum members by name, flags by number.
- ``dataclass_like``: Dataclasses, attrs classes and msgspec structs: their fields by name.
- ``pydantic_models``: Pydantic models; Pydantic itself is never imported here.
- ``class_forms``: Classes whose instances can be stored, and how each is taken apart and rebuilt.
- ``parent_failed``: What a task gets in place of a result where the job that it waited for did not complete.
- ``group_results``: A reference to the results of a group, which stands in a call where they belong.
- ``parameters``: The parameters of a callable, without evaluating its annotations.
"""

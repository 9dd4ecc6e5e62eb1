"""Texts as stores hold them: JSON, with a seal, of characters that every store takes.

Files, in reading order:

- ``jsontext``: JSON values to text and back, strictly; numbers that every reader can hold.
- ``seal``: The seal behind a stored text: its checksum, written in white space.
- ``storable``: Text that every store can hold.
"""

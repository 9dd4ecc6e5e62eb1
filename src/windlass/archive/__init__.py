"""Where finished jobs go before retention deletes them, and how they are read back.

Files, in reading order:

- ``protocol``: What an archive is: ``keep(jobs) -> ids``.
- ``writers``: The archives: a table of the store, files in a folder, one of the user's own.
- ``query``: Which archived jobs are wanted, in which order, and the page that answers.
- ``table``: Reads the store's own archive.
- ``files``: Reads an archive of files.
"""

"""Enqueues inside a transaction of the caller, on the caller's own connection.

Files, in reading order:

- ``joined``: Runs operations inside the caller's transaction.
- ``adopt``: Recognises the caller's connection by its class; imports no library for it.
- ``channel``: A connection of any library behind one small interface.
- ``script``: The steps on a caller's connection, as a generator without I/O.
- ``placeholders``: Parameters in the notation of other libraries.
- ``errors``: Exceptions of libraries that are not imported here.
- ``libraries/``: One module for each library whose connections callers may bring.
"""

"""Who may do what over HTTP.

Files, in reading order:

- ``roles``: Roles, and the identity of a caller.
- ``closed``: What holds where no security was given: only public routes are answered.
- ``loopback``: Security of a server that only this machine can reach.
"""

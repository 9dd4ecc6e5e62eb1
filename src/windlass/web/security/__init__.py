"""Who may do what over HTTP.

Files, in reading order:

- ``roles``: Roles, and the identity of a caller.
- ``security``: Admits a caller, or says why not; records what was changed.
- ``settings``: How callers are known, and what is refused at the start of a server.
- ``bearer``: Callers with a token, of the store or given at the start.
- ``password``: Callers with a password: by HTTP Basic, or by a session.
- ``users``: The users of a password file, and their passwords as scrypt hashes.
- ``sessions``: Signed cookies of those who have logged in.
- ``proxy``: Callers that a trusted proxy names.
- ``cross_site``: Refuses requests that a page of another site makes a browser send.
- ``addresses``: Addresses of clients, and the names by which a server may be called.
- ``rate_limits``: Bounds how often a client may ask, and how often it may guess.
- ``headers``: What every answer tells a browser.
- ``closed``: What holds where no security was given: only public routes are answered.
"""

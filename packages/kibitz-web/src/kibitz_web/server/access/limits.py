"""The limits of a server: how much of everything its clients may use."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """The limits of a server."""

    tables: int = 1000
    """Matches waiting or running at once."""
    tables_each: int = 300
    """Of these, matches that one client may have opened."""
    plies: int = 20_000
    body: int = 1 << 20
    """Bytes of a request."""
    message: int = 1 << 16
    """Bytes of a message on a socket."""
    sockets: int = 2000
    sockets_each: int = 1000
    rate: float = 200.0
    """Requests a second of one client, and messages a second on one socket."""
    burst: float = 400.0
    rate_each: float = 50.0
    """Requests a second of one account that is no operator's."""
    burst_each: float = 200.0
    tournaments: int = 4
    """At once."""
    kept: int = 500
    """Finished matches that are still listed; their records stay in the store."""
    kept_whole: int = 20
    """Of these, matches that can still be watched and looked at as live ones."""

"""uvicorn's configuration. A proxy in front of a public server ends the connections of slow clients."""

from typing import Any

import uvicorn

IDLE = 40
"""Seconds between requests of one connection; a proxy keeps its connections for less."""
PING = 20.0
"""Seconds between pings of a socket, and for the answer to one."""


def make_config(app: Any, **options: Any) -> uvicorn.Config:
    """uvicorn's configuration of *app*. Headers of proxies are the guard's business alone."""
    return uvicorn.Config(
        app,
        proxy_headers=False,
        server_header=False,
        log_level="warning",
        timeout_keep_alive=IDLE,
        ws="websockets-sansio",
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        ws_max_size=1 << 20,
        ws_per_message_deflate=False,  # compressing messages of a few hundred bytes takes longer than sending them
        **options,
    )

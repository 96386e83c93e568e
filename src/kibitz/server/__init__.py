"""The server: live matches (called tables), the lobby, REST and sockets, for bots and for the web app."""

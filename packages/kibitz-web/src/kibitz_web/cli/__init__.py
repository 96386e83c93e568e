"""Commands for the server: `serve`, `invite`, `token`."""

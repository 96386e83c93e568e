"""REST and sockets: what programs outside call."""

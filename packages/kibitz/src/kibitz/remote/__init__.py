"""Players outside this process: the protocol (`messages`, `dialogue`), and the agent that runs a `process`."""

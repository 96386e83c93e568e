"""Players outside this process: what is said (`messages`), to whom (`dialogue`), and the agent that is a `process`."""

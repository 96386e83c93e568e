"""Players outside this process: the protocol (`messages`), and the agent that runs one (`program_agent`)."""

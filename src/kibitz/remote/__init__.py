"""Players outside this process: `messages` is what is said, `process` the agent that says it to a program."""

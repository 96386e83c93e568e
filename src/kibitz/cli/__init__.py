"""The command line: parses what is asked, shows what comes back, knows nothing else."""

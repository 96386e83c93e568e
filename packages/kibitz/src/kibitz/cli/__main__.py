"""`python -m kibitz.cli` is the `kibitz` command."""

from kibitz.cli import run

run()

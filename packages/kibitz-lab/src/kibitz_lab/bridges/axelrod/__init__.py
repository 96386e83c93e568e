"""Axelrod's strategies as agents in the dilemma, and agents as players in Axelrod's tournaments."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kibitz_lab.bridges.axelrod.players import KibitzPlayer


def player(agent: str, rounds: int = 200, ends_known: bool = True) -> "KibitzPlayer":
    """An agent of the dilemma as an `axelrod.Player`; *rounds* is how long it expects a match of unknown length.

    With *ends_known* false it plays as if no end were in sight, whatever the match tells.
    """
    from kibitz_lab.bridges.axelrod.package import load_axelrod

    load_axelrod()
    from kibitz_lab.bridges.axelrod.players import KibitzPlayer

    return KibitzPlayer(agent, rounds, ends_known)


def strategy_names(*, long_run: bool = True) -> list[str]:
    """The names of Axelrod's strategies, without those that take long if *long_run* is off."""
    from kibitz_lab.bridges.axelrod.package import load_axelrod

    package = load_axelrod()
    known = package.strategies if long_run else package.short_run_time_strategies
    return sorted(each.__name__ for each in known)

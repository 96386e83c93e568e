"""Records as text that people read: who played, every move, and how it ended."""

from collections.abc import Callable

from kibitz.core.errors import KibitzError
from kibitz.core.game import CHANCE
from kibitz.core.records import Entry, Record
from kibitz.core.registry import make_game


def record_text(record: Record) -> str:
    """A record in words, a line per event."""
    header, name = record.header, player_names(record)
    lines = [f"{header.game}, seed {header.seed}, {header.started}", ""]
    lines += [f"{name(player)}: {agent}" for player, agent in enumerate(header.agents)]
    if header.models:
        lines.append(f"watched by {', '.join(header.models)}")
    lines += ["", *(event_text(entry, name) for entry in record.entries), "", ending_text(record, name)]
    last = record.entries[-1].beliefs if record.entries else header.beliefs
    for model, beliefs in last.items():
        for player, belief in enumerate(beliefs):
            if belief:
                held = max(belief, key=belief.__getitem__)
                lines.append(f"{model} believes of {name(player)} at last: {held} ({belief[held]:.0%})")
    return "\n".join(lines) + "\n"


def player_names(record: Record) -> Callable[[int], str]:
    """The names of the players in the game, or their numbers if the game is not known here."""
    try:
        game = make_game(record.header.game)
    except KibitzError:
        return lambda player: f"player {player}"
    return game.player_name


def event_text(entry: Entry, name: Callable[[int], str]) -> str:
    """One event: its number, who moved, and what they did."""
    many = len(entry.actions) > 1
    movers = range(len(entry.actions)) if many else (entry.player,)
    deeds = [
        f"{'chance' if player == CHANCE else name(player)}: {action}"
        for player, action in zip(movers, entry.actions, strict=True)
    ]
    faults = [f" ({name(fault.player)}: {fault.kind}, {fault.message})" for fault in entry.faults]
    return f"{entry.ply + 1:4}. {', '.join(deeds)}{''.join(faults)}"


def ending_text(record: Record, name: Callable[[int], str]) -> str:
    """How the match ended, and what everyone earned."""
    ending = record.ending
    if ending is None:
        return f"unfinished after {len(record.entries)} events"
    why = {"terminal": "finished", "max_plies": "cut off", "resigned": "given up"}.get(ending.reason, ending.reason)
    earned = ", ".join(f"{name(player)} {value:g}" for player, value in enumerate(ending.returns))
    gone = "".join(f"; {name(player)} forfeited" for player in ending.forfeits)
    return f"{why} after {ending.plies} events: {earned}{gone}"

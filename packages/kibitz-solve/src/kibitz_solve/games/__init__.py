"""Games in which both players choose at once and play may go in circles (Everett 1957; Keffer 2013)."""

from collections.abc import Mapping
from typing import Any

from kibitz.plugins import GameKit

_AT = "kibitz_solve.games"


def _kit(
    name: str,
    rules: str,
    agents: Mapping[str, str] | None = None,
    table: str | None = None,
    state_map: str | None = None,
) -> GameKit:
    """What each of these games offers, by names inside their modules."""
    constant = name.upper().replace("-", "_")
    return GameKit(
        game=f"{_AT}.{rules}",
        agents={name: f"{_AT}.agents:{kind}" for name, kind in (agents or {}).items()},
        words=f"{_AT}:texts/{name}.toml",
        word_values=f"{_AT}.words:word_values",
        fields=f"{_AT}.fields:{constant}",
        drawing=f"{_AT}.view:draw",
        heuristics=f"{_AT}.heuristics:{constant}",
        table=table and f"{_AT}.tables:{table}",
        state_map=state_map and f"{_AT}.view:{state_map}",
    )


_GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "matrix": ("matrix:Matrix", {}),
    "macwiggins": ("matrix:MacWiggins", {}),
    "guan": ("guan:Guan", {"agents": {"patient": "Patient"}}),
    "right-turn": ("pursuit:RightTurn", {"table": "right_turn", "state_map": "pursuit"}),
    "chauffeur": ("pursuit:Chauffeur", {"table": "chauffeur", "state_map": "pursuit"}),
    "bear-brawl": (
        "bear_brawl:BearBrawl",
        {
            "agents": {"keffer": "Keffer", "corrected": "Corrected"},
            "table": "bear_brawl",
            "state_map": "bear_brawl",
        },
    ),
    "purgatory": ("purgatory:Purgatory", {}),
    "big-match": ("big_match:BigMatch", {}),
    "inspection": ("inspection:Inspection", {}),
    "goofspiel": ("goofspiel:Goofspiel", {"agents": {"matcher": "Matcher"}}),
    "oshi-zumo": ("oshi_zumo:OshiZumo", {}),
    "soccer": ("soccer:Soccer", {"state_map": "soccer"}),
    "duel": ("duel:Duel", {}),
}
GAMES = {name: _kit(name, rules, **more) for name, (rules, more) in _GAMES.items()}

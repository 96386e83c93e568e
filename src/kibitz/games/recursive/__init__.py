"""Games in which both players choose at once and play may go in circles (Everett 1957; Keffer 2013)."""

from collections.abc import Mapping

from kibitz.plugins import GameKit

_AT = "kibitz.games.recursive"


def _kit(
    rules: str,
    *,
    words: str,
    fields: str,
    heuristics: str,
    agents: Mapping[str, str] | None = None,
    table: str | None = None,
    state_map: str | None = None,
) -> GameKit:
    """What each of these games offers, by names inside their modules."""
    return GameKit(
        game=f"{_AT}.{rules}",
        agents={name: f"{_AT}.agents:{kind}" for name, kind in (agents or {}).items()},
        words=f"{_AT}:texts/{words}.toml",
        word_values=f"{_AT}.words:word_values",
        fields=f"{_AT}.fields.{fields}",
        drawing=f"{_AT}.view:draw",
        heuristics=f"{_AT}.heuristics:{heuristics}",
        table=table and f"{_AT}.tables:{table}",
        state_map=state_map and f"{_AT}.maps:{state_map}",
    )


GAMES = {
    "matrix": _kit("matrix:Matrix", words="matrix", fields="rounds:MATRIX", heuristics="MATRIX"),
    "macwiggins": _kit("matrix:MacWiggins", words="macwiggins", fields="rounds:MATRIX", heuristics="MATRIX"),
    "guan": _kit("guan:Guan", words="guan", fields="rounds:GUAN", heuristics="GUAN", agents={"patient": "Patient"}),
    "right-turn": _kit(
        "pursuit:RightTurn",
        words="right-turn",
        fields="boards:PURSUIT",
        heuristics="RIGHT_TURN",
        table="right_turn",
        state_map="pursuit",
    ),
    "chauffeur": _kit(
        "pursuit:Chauffeur",
        words="chauffeur",
        fields="boards:PURSUIT",
        heuristics="CHAUFFEUR",
        table="chauffeur",
        state_map="pursuit",
    ),
    "bear-brawl": _kit(
        "bear_brawl:BearBrawl",
        words="bear-brawl",
        fields="boards:BEAR_BRAWL",
        heuristics="BEAR_BRAWL",
        agents={"keffer": "Keffer", "corrected": "Corrected"},
        table="bear_brawl",
        state_map="bear_brawl",
    ),
    "purgatory": _kit("purgatory:Purgatory", words="purgatory", fields="rounds:PURGATORY", heuristics="PURGATORY"),
    "big-match": _kit("big_match:BigMatch", words="big-match", fields="rounds:BIG_MATCH", heuristics="BIG_MATCH"),
    "inspection": _kit(
        "inspection:Inspection", words="inspection", fields="rounds:INSPECTION", heuristics="INSPECTION"
    ),
    "goofspiel": _kit(
        "goofspiel:Goofspiel",
        words="goofspiel",
        fields="rounds:GOOFSPIEL",
        heuristics="GOOFSPIEL",
        agents={"matcher": "Matcher"},
    ),
    "oshi-zumo": _kit("oshi_zumo:OshiZumo", words="oshi-zumo", fields="boards:OSHI_ZUMO", heuristics="OSHI_ZUMO"),
    "soccer": _kit("soccer:Soccer", words="soccer", fields="boards:SOCCER", heuristics="SOCCER", state_map="soccer"),
    "duel": _kit("duel:Duel", words="duel", fields="boards:DUEL", heuristics="DUEL"),
}

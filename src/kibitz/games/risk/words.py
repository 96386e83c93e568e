"""What the words about Risk leave open, and missions in words."""

from typing import Any

from kibitz.core.kit.about import numbered_players, read_texts
from kibitz.games.risk.board import Mission
from kibitz.games.risk.cards import RISING
from kibitz.games.risk.game import Risk

WORDS = "kibitz.games.risk:words.toml"


def word_values(game: Risk) -> dict[str, Any]:
    """The map, the missions and the players of a game."""
    board, texts, players = game.map, read_texts(WORDS)["texts"], numbered_players(game)
    place, beside = board.territories[0].name, board.neighbours[0]
    return {
        "map_name": board.name,
        "whole_map": game.territories_to_win == len(board.territories),
        "rising": ", ".join(map(str, RISING)),
        "place": place,
        "near": board.territories[beside[0]].name if beside else place,
        "labels": {board.mission_name(mission): mission_text(game, mission) for mission in game.mission_deck},
        "colours": {texts["colour"].format(player=name): texts["owner"].format(player=name) for name in players},
    }


def mission_text(game: Risk, mission: Mission) -> str:
    """What a mission asks, in a sentence; the text of a map's file names players from 1 on, so only theirs is new."""
    texts = read_texts(WORDS)["missions"]
    if mission.destroy is None:
        return mission.text or texts["hold"].format(mission=game.map.mission_name(mission))
    hold = texts["garrisons" if mission.armies > 1 else "territories"]
    least = hold.format(territories=mission.territories, armies=mission.armies)
    victim = game.player_name(mission.destroy)
    text: str = texts["seen" if game.blow == "any" else "destroy"].format(victim=victim, least=least)
    return text

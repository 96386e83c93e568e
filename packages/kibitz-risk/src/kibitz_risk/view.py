"""What people see of a position: the picture, and what is told to each player."""

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing import PlayerNote
from kibitz.core.kit.about import numbered_players, read_texts
from kibitz.core.kit.positions import Preview
from kibitz.core.pictures import regions as cells
from kibitz.core.pictures.figures import DIE, token
from kibitz_risk import phases
from kibitz_risk.actions import ends
from kibitz_risk.board import CLASSIC, Board, Mission
from kibitz_risk.cards import RISING
from kibitz_risk.dice import battle_endings
from kibitz_risk.game import Risk, State
from kibitz_risk.phases import AMOUNTS, TERRITORY

UNKNOWN = -1
PROMPTS = {
    phases.DRAFT: "Claim a free territory: tap it.",
    phases.SETUP: "Add an army to one of your territories: tap it.",
    phases.CAPITAL: "Choose your capital among your territories: tap it.",
    phases.TRADE: "You may put down three cards for armies.",
    phases.SPOILS: "Trade cards of the player you destroyed.",
    phases.ATTACK: "Attack: tap or drag from one of your territories to a neighbour. Or end the attack.",
    phases.FORTIFY: "Move armies between your territories: tap from where, then to where. Or end the turn.",
}


def player_note(state: State, player: int) -> PlayerNote:
    """The words for one player."""
    mission = state.missions[player] if player < len(state.missions) else UNKNOWN
    secret = progress = ""
    if mission != UNKNOWN:
        asked = state.game.mission_deck[mission]
        secret = f"Your mission: {mission_text(state.game, asked).rstrip('.')}."
        progress = mission_progress(state, player, asked)
    cards = [state.board.card_name(card) for card in state.hands[player] if card != UNKNOWN]
    if cards:
        progress = " · ".join(filter(None, [progress, f"your cards: {', '.join(cards)}"]))
    held, hand = len(state.territories_of(player)), len(state.hands[player])
    standing = f"{held} territories, {armies_of(state, player)} armies" + (f", {hand} cards" if hand else "")
    prompt = prompt_for(state) if state.current_player() == player else ""
    return PlayerNote(player, prompt, secret, progress, standing if held else "destroyed")


def armies_of(state: State, player: int) -> int:
    """All armies of a player."""
    return sum(armies for owner, armies in zip(state.owners, state.armies, strict=True) if owner == player)


def mission_progress(state: State, player: int, mission: Mission) -> str:
    """How much of what a mission asks a player holds."""
    progress = []
    for continent in mission.named_continents:
        members = state.board.members[continent]
        held = sum(state.owners[place] == player for place in members)
        progress.append(f"{state.board.continents[continent].name} {held} of {len(members)}")
    victim = mission.destroy
    if victim is not None and victim != player:
        progress.append(f"player {victim} holds {len(state.territories_of(victim))} territories")
    elif mission.territories:
        places = zip(state.owners, state.armies, strict=True)
        held = sum(owner == player and armies >= mission.armies for owner, armies in places)
        progress.append(f"{held} of {mission.territories} territories")
    return " · ".join(progress)


def prompt_for(state: State) -> str:
    """What the player to move may do."""
    if state.phase == phases.PLACE:
        armies = "1 army" if state.to_place == 1 else f"{state.to_place} armies"
        return f"Place {armies}: tap one of your territories, then say how many."
    if state.phase in (phases.ROLL, phases.DEFEND, phases.CONQUER):
        here, there = (state.board.territories[place].name for place in (state.origin, state.target))
        if state.phase == phases.ROLL:
            return f"You attack {there} from {here}. How many dice do you roll?"
        if state.phase == phases.DEFEND:
            return f"{there} is attacked from {here}. How many dice do you roll?"
        return f"{there} is yours. How many armies move in from {here}?"
    return PROMPTS.get(state.phase, "")


COLUMNS, ROWS = 44.0, 25.0
"""The room the territories are laid out in, in cells."""
MARGIN, FOOT = 2.0, 2.0
"""Cells around the places on maps that we did not draw, and below the map."""
LETTERS = 9
"""How many letters of a name's words are written where there is little room."""
MOST_AMOUNTS = 60
"""With more amounts than this, the player can click only some."""
SHORTER = {
    " Territory": " Terr.", " United States": " US", "Western": "West", "Eastern": "East", "Northern": "North",
    "Southern": "South", "Central": "C.", "North West": "NW", "Northwest": "NW", "New Guinea": "N. Guinea",
    "Great Britain": "Britain", "Scandinavia": "Scandin.", "Afghanistan": "Afghan.",
}  # fmt: skip
CHOICES = {
    phases.ATTACK: "End the attack", phases.ROLL: "Retreat", phases.FORTIFY: "End the turn",
}  # fmt: skip
"""What the button of the action 0 says in phases in which that means to stop."""


def draw(state: core.State) -> drawing.Drawing:
    """Territories where the map has them, and below the players and the battle."""
    assert isinstance(state, State)
    board = state.board
    land = land_of(board)
    places = [(discs[0][0], discs[0][1]) for discs in land]
    grown = cells.grow_cells(land, board.neighbours)
    shapes: list[drawing.AnyShape] = [
        drawing.Rect(id="sea", x=0.0, y=0.0, width=COLUMNS, height=ROWS + FOOT, fill="sea", corner=0.0),
        *cells.lane_shapes(grown.lanes, places, COLUMNS),
    ]
    shapes += [_land(state, number, outline) for number, outline in enumerate(grown.outlines)]
    for number, place in enumerate(places):
        shapes += _armies(state, number, place)
    shapes += _legend(state)
    if state.phase in (phases.ROLL, phases.DEFEND, phases.DICE, phases.CONQUER):
        shapes += _battle(state, places)
    notes = tuple(player_note(state, player) for player in range(state.game.players))
    return drawing.Drawing(COLUMNS, ROWS + FOOT, tuple(shapes), tuple(_inputs(state)), state.headline(), notes)


@lru_cache(maxsize=16)
def land_of(board: Board) -> tuple[tuple[cells.Disc, ...], ...]:
    """The land of every territory: drawn by us for the classic map, else grown around the map's own coordinates."""
    drawn = tomllib.loads(CLASSIC.with_name("classic_land.toml").read_text())
    if all(territory.name in drawn for territory in board.territories):
        return tuple(tuple((x, y, r) for x, y, r in drawn[territory.name]) for territory in board.territories)
    return cells.around(places_of(board), board.neighbours)


def places_of(board: Board) -> list[tuple[float, float]]:
    """Where the map has its territories, all of it put into the room there is."""
    spread = []
    for axis, room in ((0, COLUMNS), (1, ROWS)):
        values = [territory.place[axis] for territory in board.territories]
        scale = (room - 2 * MARGIN) / max(1, max(values) - min(values))
        spread.append([MARGIN + (value - min(values)) * scale for value in values])
    return list(zip(*spread, strict=True))


def short(name: str) -> str:
    """A name with its long words cut."""
    for words, shorter in SHORTER.items():
        name = name.replace(words, shorter)
    return name


MUTED = {
    "yellow": "#a68200",
    "red": "#a3392c",
    "orange": "#b0601a",
    "blue": "#2f5d9b",
    "green": "#2c774b",
    "magenta": "#8f4a86",
    "purple": "#6b4a91",
    "brown": "#6f4e37",
}
"""Softer tones for the colours that map files name."""


def _land(state: State, number: int, outline: tuple[cells.Point, ...]) -> drawing.Polygon:
    """The cell in the owner's colour, its border in that of the continent."""
    here, owner = state.board.territories[number], state.owners[number]
    continent = state.board.continents[here.continent]
    holder = f"{state.armies[number]} of {state.game.player_name(owner)}" if owner >= 0 else "free"
    return drawing.Polygon(
        id=f"territory-{number}",
        points=outline,
        fill=f"land{owner}" if owner >= 0 else "land",
        stroke=MUTED.get(continent.colour, continent.colour),
        thickness=0.1,
        title=f"{here.name}: {holder}",
        group=continent.name,
    )


def _armies(state: State, number: int, place: tuple[float, float]) -> Iterator[drawing.AnyShape]:
    """The armies on a token of the owner, and the name above it."""
    owner, (x, y) = state.owners[number], place
    name, words = short(state.board.territories[number].name), state.standings()[number]
    yield drawing.Label(
        id=f"name-{number}", x=x, y=y - 0.72, text=name, symbol=name[:LETTERS].strip(), size=0.56, stroke="sea",
        thickness=0.14,
    )  # fmt: skip
    if owner >= 0:
        yield drawing.Piece(
            id=f"disc-{number}", x=x, y=y + 0.28, art=token(owner), size=1.35, fill=drawing.ink_of(owner),
            stroke="#ffffff", thickness=0.08,
        )  # fmt: skip
        armies = str(state.armies[number])
        yield drawing.Label(
            id=f"armies-{number}", x=x, y=y + 0.3, text=armies, size=0.68, symbol=words, fill="#ffffff", bold=True
        )
    else:
        yield drawing.Label(id=f"armies-{number}", x=x, y=y + 0.3, text=" ", size=0.68, symbol=words)


def _legend(state: State) -> Iterator[drawing.AnyShape]:
    """The token of every player, their name, and how many territories they hold."""
    for player in range(state.game.players):
        x, held = 1.2 + 7.2 * player, len(state.territories_of(player))
        yield drawing.Piece(
            id=f"legend-{player}", x=x, y=ROWS + 1.0, art=token(player), size=1.2, fill=drawing.ink_of(player),
            stroke="#ffffff", thickness=0.06,
        )  # fmt: skip
        words = f"{state.game.player_name(player)}: {held}"
        yield drawing.Label(
            id=f"legend-{player}-words", x=x + 1.0, y=ROWS + 1.0, text=words, anchor="start", size=0.72, symbol=" "
        )


def _battle(state: State, places: list[tuple[float, float]]) -> Iterator[drawing.AnyShape]:
    """The attack as an arrow, and the dice of both sides."""
    (x, y), (to_x, to_y) = places[state.origin], places[state.target]
    yield drawing.Arrow(id="attack", x=x, y=y, to_x=to_x, to_y=to_y, stroke="#c00000", thickness=0.22, title="attack")
    if state.phase not in (phases.DEFEND, phases.DICE):
        return
    for side, (place, count) in enumerate(zip((state.origin, state.target), state.rolled, strict=True)):
        owner, at = state.owners[place], places[place]
        for number in range(count):
            dice = f"die-{side}-{number}"
            yield drawing.Piece(
                id=dice, x=at[0] + 1.1 * (number - 1), y=at[1] + 1.6, art=DIE, fill=drawing.ink_of(owner),
                stroke="#ffffff", thickness=0.06, title=f"die {number + 1} of {state.game.player_name(owner)}",
            )  # fmt: skip
            x, y = at[0] + 1.1 * (number - 1), at[1] + 1.6
            yield drawing.Label(id=f"{dice}-face", x=x, y=y, text="?", size=0.6, fill="#ffffff", symbol=" ", bold=True)


def _inputs(state: State) -> Iterator[drawing.Input]:
    """Clicks on territories, or on one, another and an amount; pages give every other action a button."""
    if state.current_player() < 0:
        return
    legal, phase, count = state.legal_actions(), state.phase, len(state.owners)
    if phase in TERRITORY:
        yield from (drawing.Click(f"territory-{action}", action) for action in legal)
        return
    ways: defaultdict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for action in legal:
        if phase == phases.PLACE:
            place, amount = divmod(action, AMOUNTS)
            _offer(ways[place, place], amount, action)
        elif phase == phases.CONQUER:
            _offer(ways[state.origin, state.target], action, action)
        elif phase in (phases.ATTACK, phases.FORTIFY) and action:
            way, amount = (action, 1) if phase == phases.ATTACK else divmod(action, AMOUNTS)
            _offer(ways[ends(way, count)], amount, action)
        elif action == 0 and phase in CHOICES:
            yield drawing.ChoiceButton(CHOICES[phase], action)
        elif phase in (phases.ROLL, phases.DEFEND):
            yield drawing.ChoiceButton(f"Roll {action} {'die' if action == 1 else 'dice'}", action)
    for (one, other), actions in ways.items():
        yield drawing.FromTo(f"territory-{one}", f"territory-{other}", actions)


def _offer(amounts: dict[int, int], amount: int, action: int) -> None:
    if len(amounts) < MOST_AMOUNTS:
        amounts[amount] = action


def preview(state: core.State, player: int, action: int) -> Preview | None:
    """The odds of an attack that is fought to its end."""
    assert isinstance(state, State)
    if state.phase not in (phases.ATTACK, phases.ROLL) or not action:
        return None
    origin, target = ends(action, len(state.owners)) if state.phase == phases.ATTACK else (state.origin, state.target)
    armies, defenders = state.armies[origin], state.armies[target]
    endings = battle_endings(armies - 1, defenders, 0, state.game.defence_dice)
    won = sum(chance for (_, left), chance in endings.items() if left == 0)
    here, there = (state.board.territories[place].name for place in (origin, target))
    words = f"{here} → {there}: {armies} v {defenders}, fought to the end you win {won:.0%}."
    return Preview(words, f"{won:.0%}", won >= 0.5)


WORDS = "kibitz_risk:words.toml"


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

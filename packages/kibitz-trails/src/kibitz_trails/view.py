"""Draws a position: the board with its colours, where players stand, what each holds, and what is on the table."""

from collections.abc import Iterator
from typing import Any

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.about import read_texts
from kibitz.core.kit.positions import Preview
from kibitz.core.pictures.figures import outline, token
from kibitz_trails.board import Chips, colour_letters, in_words, minus, plus
from kibitz_trails.offers import PASS, Offers
from kibitz_trails.rules import ANSWER, EXCHANGE, MOST_PROPOSALS, MOVEMENT, OFFER, PREPARATION, STAY, State, Trails

PAINT = {
    "red": "#d55e00", "green": "#009e73", "purple": "#cc79a7", "yellow": "#f0e442", "gray": "#bbbbbb",
    "blue": "#56b4e9", "orange": "#e69f00", "white": "#ffffff", "black": "#6b6b6b",
}  # fmt: skip
"""Colours that anybody can tell apart (Okabe & Ito 2008); every square and chip also bears the letter of its colour."""
STAR = drawing.Art(
    "star",
    (
        drawing.Path(
            outline(
                *((0.0, -0.45), (0.11, -0.15), (0.43, -0.14), (0.18, 0.06), (0.26, 0.36)),
                *((0.0, 0.19), (-0.26, 0.36), (-0.18, 0.06), (-0.43, -0.14), (-0.11, -0.15)),
            )
        ),
    ),
)
INK = "#1d1d1d"
WIDE = 1.9
"""Cells that the chips of a player take."""
PROMPTS = {
    PREPARATION: "Look at the board; choose ready when you know your plan.",
    OFFER: "Make an offer: put chips into the trays. Promises do not bind. Or pass.",
    MOVEMENT: "Step to a marked square for a chip of its colour, or stay.",
}


def draw(state: core.State) -> drawing.Drawing:
    """Letters are colours, numbers players, `*` is the goal; chips are on the right, what is offered below."""
    assert isinstance(state, State)
    board = state.board
    shapes: list[drawing.AnyShape] = [*_squares(state)]
    for player in range(len(state.positions)):
        shapes += _figure(state, player)
        shapes += _chips(state, player)
    height = float(max(board.rows, len(board.colours) + 2))
    offered = list(_offer_words(state, height))
    shapes += offered
    caption = f"round {state.round}, {state.phase}; the star in row {board.goal // board.cols + 1} is the goal"
    notes = tuple(_note(state, player) for player in range(len(state.positions)))
    width = board.cols + 0.6 + WIDE * len(state.positions)
    return drawing.Drawing(
        width, height + (0.9 if offered else 0.0), tuple(shapes), tuple(_inputs(state)), caption, notes
    )


def _squares(state: State) -> Iterator[drawing.AnyShape]:
    board = state.board
    letters = colour_letters(board.colours)
    for place, colour in enumerate(board.grid):
        row, col = divmod(place, board.cols)
        name, goal = board.colours[colour], place == board.goal
        title = f"{name} square, row {row + 1}, column {col + 1}" + (", the goal" if goal else "")
        yield drawing.Rect(
            id=f"square-{place}",
            x=col + 0.03,
            y=row + 0.03,
            width=0.94,
            height=0.94,
            corner=0.12,
            fill=PAINT.get(name, name),
            stroke=INK if goal else "none",
            thickness=0.08,
            title=title,
            symbol=f"{letters[colour].lower()}{'*' if goal else ' '} ",
        )
        letter = letters[colour]
        yield drawing.Label(
            id=f"letter-{place}", x=col + 0.2, y=row + 0.24, text=letter, size=0.28, fill=INK, symbol=" ", bold=True
        )
    row, col = divmod(board.goal, board.cols)
    yield drawing.Piece(
        id="goal", x=col + 0.5, y=row + 0.5, art=STAR, size=0.62, fill="#ffffff", stroke=INK, title="the goal"
    )


def _figure(state: State, player: int) -> Iterator[drawing.AnyShape]:
    """Where a player stands: a token with their number."""
    row, col = divmod(state.positions[player], state.board.cols)
    sharing = state.positions.count(state.positions[player]) > 1
    aside = 0.22 * (player % 2 * 2 - 1) if sharing else 0.0
    x, y = col + 0.5 + aside, row + 0.58 + 0.3 * (player // 2) * sharing
    name, ink = state.game.player_name(player), drawing.ink_of(player)
    title = f"{name} stands in row {row + 1}, column {col + 1}"
    yield drawing.Piece(
        id=f"player-{player}",
        x=x,
        y=y,
        title=title,
        art=token(player),
        size=0.7,
        fill=ink,
        stroke="#ffffff",
        thickness=0.05,
        symbol=" ",
    )
    yield drawing.Label(
        id=f"icon-{player}", x=x, y=y, text=str(player), size=0.38, fill="#ffffff", bold=True, symbol=f"{player} "
    )


def _chips(state: State, player: int) -> Iterator[drawing.AnyShape]:
    """A column: the player's name, and for each colour a chip with how many they hold."""
    x = state.board.cols + 0.6 + WIDE * player
    name, ink = state.game.player_name(player), drawing.ink_of(player)
    yield drawing.Label(id=f"holder-{player}", x=x + 0.75, y=0.45, text=name, fill=ink, bold=True, size=0.38)
    chips = state.chips[player] if player < len(state.chips) else None
    if chips is None:
        yield drawing.Label(id=f"hidden-{player}", x=x + 0.75, y=1.45, text="hidden", size=0.34)
        return
    letters = colour_letters(state.board.colours)
    for colour, count in enumerate(chips):
        kind, y = state.board.colours[colour], colour + 1.45
        chip, title = f"chips-{player}-{colour}", f"{name} holds {count} {kind}"
        paint = PAINT.get(kind, kind)
        yield drawing.Circle(id=chip, x=x + 0.4, y=y, radius=0.34, fill=paint, stroke=INK, title=title)
        yield drawing.Label(
            id=f"{chip}-letter", x=x + 0.4, y=y, text=letters[colour], size=0.34, fill=INK, symbol=" ", bold=True
        )
        words = f"×{count}"
        yield drawing.Label(
            id=f"{chip}-count", x=x + 1.15, y=y, text=words, size=0.4, symbol=f"{count}{letters[colour].lower()}"
        )


def _offer_words(state: State, y: float) -> Iterator[drawing.AnyShape]:
    """What is on the table."""
    if state.offer is None or state.phase not in (ANSWER, EXCHANGE):
        return
    given, asked = (in_words(state.board.colours, side) for side in state.offer)
    verb = "agreed to give" if state.phase == EXCHANGE else "offers"
    words = f"{state.game.player_name(state.proposer)} {verb} {given} for {asked}"
    yield drawing.Label(id="offer", x=0.1, y=y + 0.5, text=words, anchor="start", size=0.36, bold=True)


def _note(state: State, player: int) -> drawing.PlayerNote:
    chips = state.chips[player] if player < len(state.chips) else None
    prompt = _prompt(state, player) if player in state.game.movers(state) else ""
    if chips is None:
        return drawing.PlayerNote(player, prompt)
    place = state.positions[player]
    need = _need_words(state, place, chips)
    standing = f"{state.board.best_use(place, chips)} points so far; {need}"
    secret = f"You hold {in_words(state.board.colours, chips)}." if state.game.hidden else ""
    return drawing.PlayerNote(player, prompt, secret, need if secret else "", standing)


def _need_words(state: State, place: int, chips: Chips) -> str:
    """What a player with these chips lacks on the way to the goal."""
    lacking = state.board.lacking(place, chips)
    if lacking is None:
        return "no way to the goal"
    return f"lacks {in_words(state.board.colours, lacking)}" if any(lacking) else "can pay the way to the goal"


def _prompt(state: State, player: int) -> str:
    colours = state.board.colours
    if state.phase == ANSWER and state.offer is not None:
        given, asked = (in_words(colours, side) for side in state.offer)
        return f"You are offered {given} for {asked}. Accept or reject?"
    if state.phase == EXCHANGE:
        promised = state.promise(player)
        if player not in (state.proposer, state.partner):
            return "Others exchange chips."
        if promised is None:
            return "No deal was made; send chips if you like, or nothing."
        return f"You promised {in_words(colours, promised)}. Send that, or what you like; promises do not bind."
    return PROMPTS.get(state.phase, "")


def _inputs(state: State) -> Iterator[drawing.Input]:
    """Trays for chips and clicks on squares, for every player who is to choose and whose chips are visible."""
    for player in state.game.movers(state):
        if state.chips[player : player + 1] in ((), (None,)):
            continue
        legal = state.legal_actions(player)
        if state.phase == MOVEMENT:
            steps = (step for step in legal if step != STAY)
            yield from (drawing.Click(f"square-{state.target(player, step)}", step, player) for step in steps)
            yield drawing.ChoiceButton("stay", STAY, player)
        elif isinstance(legal, core.ProductActions):
            yield _trays(state, legal, player)
            if isinstance(legal, Offers):
                yield drawing.ChoiceButton("pass", PASS, player)


def _trays(state: State, legal: core.ProductActions, player: int) -> drawing.Counters:
    """A tray for what is given, and for an offer another for what is asked for."""
    colours = state.board.colours
    letters = colour_letters(colours)
    looks = {name: drawing.Chip(PAINT.get(name, name), letters[place], name) for place, name in enumerate(colours)}
    if not isinstance(legal, Offers):
        promised = dict(zip(colours, state.promise(player) or (), strict=False))
        start = {name: min(count, legal.factors[name][-1]) for name, count in promised.items()}
        return drawing.counters(legal.factors, legal.bases, player, (drawing.Tray("You send", looks),), "Send", start)
    asked = {f"for-{name}": look for name, look in looks.items()}
    trays = drawing.Tray("You give", looks), drawing.Tray("You get", asked)
    return drawing.counters(legal.factors, legal.bases, player, trays, "Offer")


def preview(state: core.State, player: int, action: int) -> Preview | None:
    """What an offer, an answer, a gift or a step would make of the way to the goal, if the other keeps their word."""
    assert isinstance(state, State)
    chips = state.chips[player] if player < len(state.chips) else None
    if chips is None:
        return None
    legal, other = state.legal_actions(player), None
    place, after = state.positions[player], chips
    if isinstance(legal, Offers):
        given, asked = legal.sides(action)
        after, other = plus(minus(chips, given), asked), (state.partner, given, asked)
    elif state.phase == ANSWER and state.offer is not None:
        if action:
            after = plus(minus(chips, state.offer.asked), state.offer.given)
    elif state.phase == EXCHANGE and isinstance(legal, core.ProductActions):
        sent, offered = legal.values(action), state.offer
        promised = None if offered is None else offered.asked if player == state.proposer else offered.given
        after = plus(minus(chips, sent), promised or (0,) * len(chips))
    elif state.phase == MOVEMENT and action != STAY:
        place = state.target(player, action)
        cost = state.board.grid[place]
        after = tuple(count - (colour == cost) for colour, count in enumerate(chips))
    return _verdict(state, place, after, other)


def _verdict(state: State, place: int, after: Chips, other: tuple[int, Chips, Chips] | None) -> Preview:
    """What a player with chips *after* could reach; of an offer also what the other would lack."""
    colours, lacking = state.board.colours, state.board.lacking(place, after)
    points = state.board.best_use(place, after)
    if lacking is None:
        words = f"From there is no way to the goal: {points} points."
    elif any(lacking):
        words = f"You lack {in_words(colours, lacking)}: {points} points so far."
    else:
        words = f"This gets you to the goal: {points} points."
    if other is not None:
        partner, given, asked = other
        theirs = state.chips[partner] if partner < len(state.chips) else None
        if theirs is not None:
            need = _need_words(state, state.positions[partner], plus(minus(theirs, asked), given))
            words += f" {state.game.player_name(partner)} {need}."
    return Preview(words, good=lacking is not None and not any(lacking))


def word_values(game: Trails) -> dict[str, Any]:
    """The places and hands of the board, and colours that the first two players hold."""
    layout, texts = game.layout, read_texts("kibitz_trails:words.toml")["texts"]
    places = (divmod(start, layout.cols) for start in layout.starts)
    hands = {in_words(layout.colours, hand): None for dealt in layout.hands for hand in dealt} if game.hidden else {}
    give, ask = (
        next((colour for colour, count in zip(layout.colours, chips, strict=True) if count), "")
        for chips in layout.chips[:2]
    )
    return {
        "players": [
            texts["player"].format(name=name, row=row, column=column)
            for name, (row, column) in zip(layout.names, places, strict=True)
        ],
        "labels": {hand: texts["hand"].format(hand=hand) for hand in hands},
        "seats": layout.players,
        "most_proposals": MOST_PROPOSALS,
        "colour_names": ", ".join(layout.colours),
        "give": give,
        "ask": ask,
    }

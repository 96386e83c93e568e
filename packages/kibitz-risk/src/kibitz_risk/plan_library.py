"""The plan library of Risk: each mission repeats orders in its continents, or against its player, and strays at times.

The library depends on the map, the deck and the players, so it is written for the game and the player that are watched.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kibitz import core
from kibitz.core.kit.plans import GamePlans, Observation
from kibitz_risk import phases
from kibitz_risk.board import Board, Mission
from kibitz_risk.game import Risk, State
from kibitz_risk.models.decisions import KINDS, place_of
from kibitz_risk.models.explanations import ways

FOLLOWS, MAY_FOLLOW = 1.2, 1.1
"""How much likelier an order is that serves the mission, or one of the ways to fulfil it, than one elsewhere.

Fitted to the belief about the card, not to the single order: a player gives orders in rows in the same place, so each
says less than if it stood alone, and some players follow no card at all."""
ENDS = 0.001
"""How likely a plan ends with an order; every plan must end."""
OTHER = "wait"
"""All that is no order: cards, dice, passes."""
VERBS = {phases.SETUP: "strengthen", phases.PLACE: "strengthen", phases.FORTIFY: "march to"}


def plans(game: core.Game) -> GamePlans | None:
    """The plans of a game; None where it has no missions."""
    if not isinstance(game, Risk) or not game.mission_deck:
        return None
    texts = (library_text(game.map, game.mission_deck, game.players, player) for player in range(game.players))
    return GamePlans(tuple(texts), describe)


@lru_cache(maxsize=32)
def library_text(board: Board, missions: tuple[Mission, ...], players: int, player: int) -> str:
    """The library of one player: a goal for every mission, and an action for every continent and other owner.

    The territory is a value of the action, so a continent in which there is more to choose is chosen more often.
    """
    lines = ["library risk"]
    names = dict.fromkeys(name for name, _ in action_weights(board, 0, missions[0], players, player) if name != OTHER)
    lines += [f'action "{name}"(territory)' for name in names]
    goals = list(dict.fromkeys(board.mission_name(mission) for mission in missions))
    lines += [f'goal "{goal}"' for goal in goals]
    for goal in goals:
        number = next(each for each, mission in enumerate(missions) if board.mission_name(mission) == goal)
        weights = dict(action_weights(board, number, missions[number], players, player))
        total = sum(weights.values())
        rules = [
            rule
            for action, weight in weights.items()
            for rule in (
                f'"{action}" "{goal}" : ordered [{(1.0 - ENDS) * weight / total!r}]',
                f'"{action}" [{ENDS * weight / total!r}]',
            )
        ]
        lines.append(f'"{goal}" -> ' + "\n    | ".join(rules))
    return "\n".join(lines) + "\n"


def action_weights(
    board: Board, number: int, mission: Mission, players: int, player: int
) -> Iterator[tuple[str, float]]:
    """How likely every action of a player is under a mission, compared with each other."""
    possible = ways(board, number, mission)
    yield OTHER, 1.0
    for continent, named in enumerate(board.continents):
        serves = [continent in way.continents for way in possible]
        weight = FOLLOWS if all(serves) else MAY_FOLLOW if any(serves) else 1.0
        for verb in dict.fromkeys(VERBS.values()):
            yield f"{verb} {named.name}", weight
        for owner in (each for each in range(players) if each != player):
            yield f"attack player {owner} in {named.name}", FOLLOWS if owner == mission.destroy else weight


def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
    """Orders by the continent and the territory they are about, attacks also by their victim."""
    assert isinstance(view, State)
    if view.phase not in KINDS:
        return [Observation(OTHER)] * len(actions)
    board, owners = view.board, view.owners
    found = []
    for action in actions:
        place = place_of(view, action)
        if place is None:
            found.append(Observation(OTHER))
            continue
        territory = board.territories[place]
        name = board.continents[territory.continent].name
        attack = f"attack player {owners[place]} in {name}"
        order = attack if view.phase == phases.ATTACK else f"{VERBS[view.phase]} {name}"
        found.append(Observation(order, (territory.name,)))
    return found

"""Explanations of a player's behaviour (Khan 2013, 3.3): each mission of the deck, and each way to fulfil it."""

from collections.abc import Iterable, Sequence
from itertools import combinations

import msgspec

from kibitz.games.risk.board import ANY, Board, Mission
from kibitz.games.risk.game import Risk


class Explanation(msgspec.Struct, frozen=True):
    """One way to fulfil a mission: these continents, or this player destroyed, or territories wherever they are."""

    name: str
    mission: int
    """Its number in the deck."""
    continents: tuple[int, ...] = ()
    victim: int | None = None

    def places(self, board: Board, owners: Sequence[int], player: int) -> int:
        """The territories that *player* acts on if this explains them, as bits.

        A player who wants to destroy another acts on the other's territories, and on their own beside them.
        """
        if self.continents:
            return bits(place for each in self.continents for place in board.members[each])
        if self.victim in (None, player) or self.victim not in owners:
            return (1 << len(owners)) - 1
        near = {to for place, owner in enumerate(owners) if owner == self.victim for to in board.approaches[place]}
        return bits(
            place for place, owner in enumerate(owners) if owner == self.victim or (owner == player and place in near)
        )


def bits(places: Iterable[int]) -> int:
    """Territories as the bits of a number."""
    return sum(1 << place for place in places)


def explanations(game: Risk) -> tuple[Explanation, ...]:
    """All explanations, missions in the order of the deck; with Khan's six cards there are twelve."""
    return tuple(each for number, mission in enumerate(game.mission_deck) for each in ways(game.map, number, mission))


def ways(board: Board, number: int, mission: Mission) -> list[Explanation]:
    """The ways to fulfil one mission: a free slot is filled by any continent that is not named."""
    if not mission.asks_continents:
        name = f"Occupy-{mission.territories}-territories"
        if mission.destroy is not None:
            name = f"Destroy-player-{mission.destroy}"
        elif mission.armies > 1:
            name += f"-with-{mission.armies}-armies"
        return [Explanation(name, number, victim=mission.destroy)]
    others = [each for each in range(len(board.continents)) if each not in mission.named_continents]
    chosen = combinations(others, mission.continents.count(ANY))
    return [
        Explanation(explanation_name(board, continents), number, continents)
        for continents in ((*mission.named_continents, *more) for more in chosen)
    ]


def explanation_name(board: Board, continents: Sequence[int]) -> str:
    """What Khan's files call it: `Occupy-Asia-South-America`."""
    return "-".join(["Occupy", *(board.continents[each].name.replace(" ", "-") for each in continents)])

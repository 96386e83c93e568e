"""Teams: players who win together, in the match and in search."""

import pytest

from agent_definitions import minimax
from kibitz import core
from kibitz.core.match import MatchOptions, forfeit_returns
from kibitz.core.match.play import RecordedMatch
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game
from kibitz.testing import check_game
from kibitz_lab.search import game_tree
from kibitz_lab.search.settings import Settings


class RelayState(core.State):
    """A heap of stones; players take 1 to 3 in turn, and the team that takes the last stone wins."""

    def __init__(self, game: "Relay", stones: int, player: int = 0) -> None:
        self.game, self.stones, self.player = game, stones, player

    def current_player(self) -> int:
        return self.player if self.stones else core.TERMINAL

    def legal_actions(self, player: int | None = None) -> list[int]:
        return list(range(1, min(3, self.stones) + 1))

    def apply_action(self, action: int) -> None:
        self.stones -= action
        self.player = (self.player + 1) % 4

    def returns(self) -> list[float]:
        won = 0.0 if self.stones else (-1.0 if self.player % 2 == 0 else 1.0)
        return [won, -won, won, -won]

    def key(self) -> core.Key:
        return self.stones, self.player


class Relay(core.Game):
    """Four players in two teams who take stones in turn."""

    players = 4
    teams = ((0, 2), (1, 3))

    def __init__(self, stones: int = 9) -> None:
        self.stones = stones

    def new_initial_state(self) -> RelayState:
        return RelayState(self, self.stones)


class Odd(Relay):
    """Says that players win together who do not."""

    teams = ((0, 1), (2, 3))


def test_everyone_is_alone_unless_a_game_says_otherwise() -> None:
    assert make_game("kuhn").teams == ((0,), (1,), (2,))
    assert [Relay().team_of(player) for player in range(4)] == [0, 1, 0, 1]


def test_powers_of_one_side_are_a_team() -> None:
    game = make_game("axis")
    sides = [power.side for power in game.board.powers]  # type: ignore[attr-defined]
    assert [[sides[player] for player in team] for team in game.teams] == [
        [side] * sides.count(side) for side in dict.fromkeys(sides)
    ]


def test_a_team_that_does_not_earn_the_same_breaks_the_contract() -> None:
    check_game(Relay())
    with pytest.raises(AssertionError, match="does not earn the same"):
        check_game(Odd())


def test_a_match_goes_on_while_two_teams_have_a_player_left() -> None:
    table = RecordedMatch(Relay(), ["random"] * 4, MatchOptions(seed=1))
    moments = table.moments()
    next(moments)
    table.resign(0)
    next(moments)
    table.resign(2)
    assert list(moments) == []
    ending = table.record.ending
    assert ending is not None
    assert (ending.reason, ending.returns) == ("resigned", [-1.0, 1.0, -1.0, 1.0])
    assert len(list(replaying(table.record, game=Relay()))) == 2
    assert forfeit_returns(Relay(), [1.0, -1.0, 1.0, -1.0], [0]) == [1.0, -1.0, 1.0, -1.0]


@pytest.mark.parametrize("stones", range(1, 13))
def test_search_plays_for_a_side(stones: int) -> None:
    first_side = frozenset(Relay.teams[0])

    def even(state: core.State) -> float:
        return 0.0

    state = Relay(stones).new_initial_state()
    found = game_tree.search(state, Settings(depth=stones), even, first_side=first_side)
    assert found.value == minimax(state, stones, even, first_side=first_side)
    assert (found.value > 0.0) == (stones % 4 != 0)  # Bouton's game with 1 to 3 stones

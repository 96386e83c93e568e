"""The information-set table: its size, its information states, and the games it refuses."""

import pytest

import kibitz
from kibitz import core
from kibitz.core.errors import BadGame
from kibitz.core.registry import make_game
from kibitz_lab.extensive import InformationTable, InformationTracker, build_table, solve_cfr


@pytest.mark.parametrize(
    ("game", "sets", "histories"), [("kuhn(players=2)", 12, 58), ("kuhn", 48, 617), ("leduc", 936, 9457)]
)
def test_a_table_has_every_information_set_and_history(game: str, sets: int, histories: int) -> None:
    table = build_table(game)
    assert (len(table), table.histories) == (sets, histories)
    for player in range(table.players):
        assert len({table.names[number] for number in table.sets_of(player)}) == len(table.sets_of(player))


@pytest.mark.parametrize(("game", "peer"), [("kuhn(players=2)", "kuhn_poker"), ("leduc", "leduc_poker")])
def test_information_sets_are_openspiels(game: str, peer: str) -> None:
    """Two histories are in one information set here exactly if they are there."""
    pyspiel = pytest.importorskip("pyspiel")
    table, pairs = build_table(game), set()
    waiting = [(0, pyspiel.load_game(peer).new_initial_state())]
    while waiting:
        node, state = waiting.pop()
        if not state.is_terminal():
            if not state.is_chance_node():
                pairs.add((int(table.tree.sets[node]), state.information_state_string()))
            first = int(table.tree.children[node])
            waiting += [(first + place, state.child(a)) for place, a in enumerate(state.legal_actions())]
    assert len(pairs) == len({ours for ours, _ in pairs}) == len({theirs for _, theirs in pairs}) == len(table)


def test_a_game_of_openspiel_has_the_same_table(kuhn: InformationTable) -> None:
    pytest.importorskip("pyspiel")
    table = build_table("openspiel:kuhn_poker")
    assert (len(table), table.histories) == (len(kuhn), kuhn.histories)
    theirs, ours = (solve_cfr(each, iterations=100).exploitability for each in (table, kuhn))
    assert theirs == pytest.approx(ours)


def test_players_who_move_at_once_do_not_see_each_other() -> None:
    """Two rounds of the dilemma: 1 + 4 information sets each; what a key alone shows is not what a player knows."""
    table = build_table("dilemma(rounds=2)")
    assert [len(table.sets_of(player)) for player in (0, 1)] == [5, 5]
    assert {"cooperate+defect", "defect+cooperate"} <= set(table.names)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("offers", "000 histories, but the limit is 1,000,000; choose smaller options (rounds), give a higher limit"),
        ("risk", "more than 10^300 histories"),
        ("pawns", "everyone sees everything"),
        ("leduc(players=4)", "such as mcts"),
    ],
)
def test_a_game_that_does_not_fit_is_refused_in_a_line(game: str, words: str) -> None:
    with pytest.raises(BadGame) as error:
        build_table(game)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_listing_stops_at_the_limit_if_the_estimate_is_too_low() -> None:
    with pytest.raises(BadGame, match="more than 616 histories"):
        build_table("kuhn", limit=616)


class Follower(core.Strategy):
    """Checks at every move that the tracker knows its information set."""

    table: InformationTable

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.tracker = InformationTracker(self.table, player)

    def observe(self, transition: core.Transition) -> None:
        self.tracker.observe(transition)

    def policy(self, view: core.State) -> core.Distribution:
        number = self.tracker.information_set
        assert number is not None
        assert self.table.owner(number) == self.player
        assert self.table.views[number].key() == view.key()
        assert self.table.actions[number] == list(view.legal_actions(self.player))
        return core.Distribution.uniform(view.legal_actions(self.player))


@pytest.mark.parametrize("game", ["kuhn", "leduc", "dilemma(rounds=4)"])
def test_a_tracker_finds_the_information_set_in_a_match(game: str) -> None:
    made = make_game(game)
    Follower.table = build_table(made)
    for seed in range(4):
        record = kibitz.play(made, [Follower() for _ in range(made.players)], seed=seed)
        assert record.ending is not None
        assert not any(record.ending.strikes)


def test_a_tracker_is_lost_after_an_event_that_the_table_lacks() -> None:
    table, other = build_table("kuhn(players=2)"), make_game("kuhn")
    tracker, state = InformationTracker(table, 0), other.new_initial_state()
    after = state.child(3)
    tracker.observe(core.Transition(0, core.CHANCE, (3,), state.view(0), after.view(0)))
    assert tracker.information_set is None

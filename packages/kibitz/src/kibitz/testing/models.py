"""`check_model`: the contract test of models."""

from collections.abc import Mapping, Sequence

import msgspec

from kibitz import core
from kibitz.core.errors import Unsupported
from kibitz.core.game import CHANCE
from kibitz.core.insight import Belief, Explanation
from kibitz.core.match import Moment, Position
from kibitz.core.match.play import playing
from kibitz.core.player_memory import is_learned
from kibitz.core.registry import entries, house_agents, make_game, make_model, spec_of
from kibitz.core.seeds import stream
from kibitz.core.wording import sentence
from kibitz.testing.agents import check_distribution, check_specified
from kibitz.testing.leaks import reachable
from kibitz.testing.walks import require, seat_name

WATCHER = ("watcher", 0)
DRAWN = 10
"""The number of first moves, drawn at random, that may change no belief."""


def check_model(
    model: str | core.Model,
    games: Sequence[str] | None = None,
    *,
    plies: int = 40,
    shorter: Mapping[str, int] | None = None,
    seed: int = 0,
) -> None:
    """Test a model in every registered game it can watch (or in *games*), from every seat.

    Matches end after *plies* plies, those of slow games earlier: *shorter* names their limits.

    What nobody chose says nothing about who a player is: while the first moves are drawn at random
    (`Transition.chose` is False), every belief stays the prior, and `explain` counts no choices. The exception is what
    the position itself tells, and only of labels that the game deals (`State.truth`: a card, a mission, a type of the
    rules): there, a card that is shown or a mission that is fulfilled without a win may change the belief, but not the
    action that led there, so the belief must be that of a watcher from whom the unchosen actions are hidden. Progress
    on the board is no such fact: made by moves that nobody chose, it tells nothing. Predictions may change, since they
    are about another position, and since players remember what they did not choose.

    >>> from kibitz.testing import check_model
    >>> check_model("strategy_filter", ["pennies"], plies=4)  # raises if it breaks the contract
    """
    made = make_model(model)
    check_specified(made)
    named = made.answers and all(type(answer) is str and answer for answer in made.answers)
    require(named, f"{made!r}: answers must name a label of the record, or action, or both")
    watched = 0
    for name in entries("game") if games is None else games:
        game = make_game(name)
        length = min((shorter or {}).get(name, plies), game.max_plies)
        for agents in (["random"] * game.players, _house_table(name, game)):
            moments = list(playing(game, agents, seed=seed, max_plies=length))
            for seat in (*range(game.players), None):
                watched += _check_watching(made, game, moments, seat, seed)
        check_unchosen(made, game, seed=seed)
    require(watched, f"{made!r} can watch no game at all")


def _house_table(name: str, game: core.Game) -> list[str]:
    house = house_agents(name) or ["random"]
    return [house[player % len(house)] for player in range(game.players)]


def _check_watching(model: core.Model, game: core.Game, moments: Sequence[Moment], seat: int | None, seed: int) -> bool:
    """Let two copies watch one match; False if the model cannot watch this game."""
    where = f"{model!r} watching {game!r} from {seat_name(seat)}"
    watchers = [model.clone(), model.clone()]
    for moment in moments:
        if moment.event is not None:
            moment.event.before.views.clear()
            moment.event.after.views.clear()
    try:
        for watcher in watchers:
            watcher.begin(game, seat, stream(seed, "check_model"))
    except Unsupported:
        return False
    side_line: core.Model | None = None
    for moment in moments:
        if moment.event is not None:
            transition = moment.event.transition(seat, WATCHER)
            for watcher in watchers:
                watcher.observe(transition)
            if side_line is not None:
                side_line.observe(transition)
        expected = [_check_answers(each, game, Position(moment.state, game.hidden), seat, where) for each in watchers]
        require(expected[0] == expected[1], f"{where}: two copies with the same seed expect different moves")
        beliefs = [[watcher.belief(player) for player in range(game.players)] for watcher in watchers]
        require(beliefs[0] == beliefs[1], f"{where}: two copies with the same seed believe different things")
        side_line = watchers[0].clone()
        kept = [side_line.belief(player) for player in range(game.players)]
        require(kept == beliefs[0], f"{where}: a clone believes something else")
    for moment in moments:
        if moment.event is not None:
            for position in (moment.event.before, moment.event.after):
                same = reachable(position.view(seat, WATCHER)) == reachable(position.state.view(seat))
                require(same, f"{where}: it changed a view it was shown; clone it first")
    _check_clone_is_independent(watchers[0], game, moments, seat, where)
    _check_memory(watchers[0], model.clone(), game, seat, where)
    return True


def _check_memory(seasoned: core.Model, fresh: core.Model, game: core.Game, seat: int | None, where: str) -> None:
    """Require that what a model remembers can be kept, and that one that recalls it has a proper belief."""
    fresh.begin(game, seat, stream(2, "memory"))
    for player in range(game.players):
        learned = seasoned.remember(player)
        require(is_learned(learned), f"{where}: remember({player}) is not numbers of 0 or more by name")
        for told in (learned, {"no such name": 1.0}, {}):
            fresh.recall(player, told)
            check_belief(fresh.belief(player), False, f"{where}: belief({player}) after recall")


def check_unchosen(model: core.Model, game: core.Game, *, seed: int = 0) -> None:
    """Require that moves drawn at random change no belief about who the players are; see `check_model`."""
    moments = _drawn_moments(game, seed)
    for seat in (*range(game.players), None):
        watcher, blind = model.clone(), model.clone()
        try:
            for each in (watcher, blind):
                each.begin(game, seat, stream(seed, "check_model"))
        except Unsupported:
            return
        where = f"{model!r} watching {game!r} from {seat_name(seat)}"
        question = next((question for question in model.answers if question != "action"), "action")
        prior = [watcher.belief(player) for player in range(game.players)]
        for event in (moment.event for moment in moments if moment.event is not None):
            transition = event.transition(seat)
            watcher.observe(transition)
            hidden = transition.actions if event.player == CHANCE else (None,) * len(transition.actions)
            blind.observe(msgspec.structs.replace(transition, actions=hidden))
            for player in range(game.players):
                dealt = question in moments[-1].state.truth(player)
                expected = blind.belief(player) if dealt else prior[player]
                what = "what the position tells" if dealt else "the prior"
                unmoved = _same_belief(watcher.belief(player), expected)
                why = f"{where}: belief({player}) is not {what} after move {event.ply}, which nobody chose"
                require(unmoved, f"{why}; ask transition.chose(player)")
                count = watcher.explain(player).choices
                require(not count, f"{where}: explain({player}) counts {count} choices, but player {player} made none")


def _drawn_moments(game: core.Game, seed: int) -> list[Moment]:
    """The beginning of a match in which every move is drawn at random."""
    found, moves = [], 0
    for moment in playing(game, ["random"] * game.players, seed=seed, opening=DRAWN):
        found.append(moment)
        moves += moment.event is not None and moment.event.player != CHANCE
        if moves == DRAWN:
            break
    return found


def _same_belief(one: Belief, other: Belief) -> bool:
    return all(abs(one.get(label, 0.0) - other.get(label, 0.0)) < 1e-9 for label in {**one, **other})


def _check_answers(
    model: core.Model, game: core.Game, position: Position, seat: int | None, where: str
) -> list[list[tuple[int, float]]]:
    """Check all answers of the model; return its predictions for the movers."""
    expected = []
    says_who = set(model.answers) != {"action"}
    for player in range(game.players):
        check_belief(model.belief(player), says_who, f"{where}: belief({player})")
        explanation = model.explain(player)
        require(isinstance(explanation, Explanation), f"{where}: explain({player}) is no Explanation")
        require(sentence(explanation, "player").isprintable(), f"{where}: explain({player}) cannot be printed")
    if "action" in model.answers:
        for player in game.movers(position.state):
            view = position.state.view(seat)
            legal = view.legal_actions(player)
            found = model.predict(view, player)
            check_distribution(found, legal, f"{where}: predict for player {player}")
            expected.append(found.top(5))
    return expected


def check_belief(belief: Belief, required: bool, what: str) -> None:
    """Require a distribution over labels; it may be empty unless *required*."""
    if not belief:
        require(not required, f"{what} is empty")
        return
    total = sum(belief.values())
    require(abs(total - 1.0) < 1e-9, f"{what} adds up to {total}")
    require(all(type(label) is str for label in belief), f"{what}: labels are text")
    require(all(-1e-12 <= share <= 1.0 + 1e-12 for share in belief.values()), f"{what}: a share outside 0 to 1")


def _check_clone_is_independent(
    model: core.Model, game: core.Game, moments: Sequence[Moment], seat: int | None, where: str
) -> None:
    """Require that running a clone over the match again does not change the model."""
    before = [model.belief(player) for player in range(game.players)]
    stepped = model.clone()
    stepped.begin(game, seat, stream(1, "clone"))
    for moment in moments[1:]:
        assert moment.event is not None
        stepped.observe(moment.event.transition(seat))
    require([model.belief(p) for p in range(game.players)] == before, f"{where}: stepping a clone changed the original")
    require(repr(stepped) == repr(model), f"{where}: {spec_of(model)} does not survive begin")

"""Measures how well trained parameters predict games, and fits their sharpness and tempers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from kibitz import core
from kibitz.core.game import Game
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_lab.models.dbn.choices import ChoiceWeights, SeenChoice, choice_numbers, fit_choices
from kibitz_lab.models.dbn.evidence import Evidence, JudgedPlayer, PlayerTrack, RandomTrack, fit_evidence
from kibitz_lab.models.dbn.model import Dbn, sharpen_weights
from kibitz_lab.models.dbn.parameters import Parameters
from kibitz_lab.models.dbn.positions import strategies_of

TOPS = (1, 3, 5)
SHARPNESSES = tuple(step / 20 for step in range(1, 21))
"""The powers to try."""


class Decision(NamedTuple):
    """A move: the predicted likelihood of each legal one, and which was played."""

    weights: list[float]
    chosen: int


def watching(parameters: Parameters, game: Game, seat: int | None, slices: int, own: str = "") -> Dbn:
    """A model with these parameters, for players of the strategies in training, that is ready to watch a game."""
    model = Dbn(slices=slices, own=own, unknown=0.0)
    model.preset = parameters
    model.begin(game, seat, stream(0, "foretold"))
    return model


def decisions(parameters: Parameters, record: Record, player: int, slices: int) -> tuple[list[Decision], str]:
    """The moves of *player* as predicted from the other seat, which knows its own strategy; and its final guess."""
    game = make_game(record.header.game)
    watcher = watching(parameters, game, 1 - player, slices, own=strategies_of(record)[1 - player])
    state, found = game.new_initial_state(), []
    for moment in replaying(record, game=game):
        if moment.event is not None:
            if any(chooser == player for chooser, _ in moment.event.choices()):
                legal = list(state.legal_actions(player))
                found.append(Decision(watcher.likelihoods(state, player), legal.index(moment.event.actions[0])))
            watcher.observe(moment.event.transition(1 - player))
        state = moment.state
    belief = watcher.belief(player)
    return found, max(belief, key=belief.__getitem__)


def prediction_figures(
    parameters: Parameters, records: Sequence[Record], slices: int = 4, players: Sequence[int] = (0, 1)
) -> dict[str, float]:
    """Figures over all moves of *players* in *records*.

    `top n` is the share of moves among the n likeliest, ties counted by their chance; `chance n` is what guessing gets;
    `log loss` is in nats; `named` is the share of games that end with the true strategy as the likeliest.
    """
    totals: Counter[str] = Counter()
    moves = games = 0
    for record in records:
        for player in players:
            found, named = decisions(parameters, record, player, slices)
            for decision in found:
                totals.update(move_figures(decision, parameters.sharpness))
            totals["named"] += named == strategies_of(record)[player]
            moves, games = moves + len(found), games + 1
    return {name: round(total / (games if name == "named" else max(moves, 1)), 4) for name, total in totals.items()}


def move_figures(decision: Decision, sharpness: float = 1.0) -> dict[str, float]:
    """The figures of one move."""
    weights, played = decision.weights, decision.weights[decision.chosen]
    better = sum(weight > played for weight in weights)
    alike = sum(weight == played for weight in weights)
    found = {f"top {n}": min(1.0, max(0.0, (n - better) / alike)) for n in TOPS}
    found |= {f"chance {n}": min(1.0, n / len(weights)) for n in TOPS}
    return found | {"log loss": log_loss(decision, sharpness), "chance log loss": log(len(weights))}


def log_loss(decision: Decision, sharpness: float) -> float:
    """How surprising a move was, in nats."""
    shares = sharpen_weights(decision.weights, sharpness)
    return -log(max(shares[decision.chosen], 1e-12))


def best_sharpness(parameters: Parameters, records: Sequence[Record], slices: int = 4) -> float:
    """The sharpness with the smallest log loss on the moves of *records*."""
    found = [each for record in records for p in (0, 1) for each in decisions(parameters, record, p, slices)[0]]
    return min(SHARPNESSES, key=lambda sharpness: sum(log_loss(each, sharpness) for each in found))


def fitted_choices(parameters: Parameters, records: Sequence[Record], slices: int = 0) -> tuple[ChoiceWeights, ...]:
    """How players of each strategy choose, by *records*; none for states that were learned without names."""
    if parameters.learning != "supervised":
        return ()
    seen: dict[str, list[SeenChoice]] = {strategy: [] for strategy in parameters.strategies}
    features = len(parameters.features)
    for watcher, view, player, action, truth in watched_choices(parameters, records, slices):
        legal = list(view.legal_actions(player))
        if len(legal) > 1 and truth in seen:
            children = watcher.seen_numbers(view, legal, replies=True)
            latent = parameters.players[player].labels.index(truth)
            likely = watcher.filters[player].latent_likelihoods(children[:, :features], player)[latent]
            seen[truth].append(SeenChoice(choice_numbers(likely, children, player), legal.index(action)))
    return tuple(fit_choices(each, features) for each in seen.values()) if all(seen.values()) else ()


def watched_choices(
    parameters: Parameters, records: Sequence[Record], slices: int
) -> Iterator[tuple[Dbn, core.State, int, int, str]]:
    """Every choice, before a spectator observes it: the spectator, the position, the player, the action, the truth."""
    for record in records:
        game = make_game(record.header.game)
        watcher, truths = watching(parameters, game, None, slices), strategies_of(record)
        for moment in replaying(record, game=game):
            if moment.event is not None:
                for player, action in moment.event.choices():
                    yield watcher, moment.event.before.state, player, action, truths[player]
                watcher.observe(moment.event.transition(None))


def best_evidence(parameters: Parameters, records: Sequence[Record], slices: int = 0) -> Evidence:
    """How much a choice says of who a player is, as fits the players of *records* best, and random ones there."""
    judged: list[JudgedPlayer] = []
    tracks: dict[int, tuple[PlayerTrack, RandomTrack]] = {}
    last: Dbn | None = None
    rng = stream(0, "random players")
    for watcher, view, player, action, truth in watched_choices(parameters, records, slices):
        if watcher is not last:
            judged += judged_in(tracks)
            tracks, last = {}, watcher
        labels = parameters.players[player].labels
        if truth in labels and len(labels) > 1 and len(view.legal_actions(player)) > 1:
            if player not in tracks:
                followed = PlayerTrack(watcher.game, player, len(labels), labels.index(truth))
                tracks[player] = followed, RandomTrack(watcher.game, player, len(labels))
            track, random = tracks[player]
            known = watcher.policies(view, player)
            policies, again = known.distributions(), (known.numbers, action) in watcher.answered[player]
            track.add(view, action, policies, again)
            random.add(view, known.legal[int(rng.random() * len(known.legal))], policies)
    judged += judged_in(tracks)
    return fit_evidence(judged) if judged else Evidence(1.0, 1.0, 0.0)


def judged_in(tracks: Mapping[int, tuple[PlayerTrack, RandomTrack]]) -> list[JudgedPlayer]:
    """The players of one match, and the random ones in their places."""
    return [each for pair in tracks.values() for track in pair for each in track.judged_players()]

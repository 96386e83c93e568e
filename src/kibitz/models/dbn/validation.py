"""How well trained parameters foretell games: the share of moves among the likeliest, and whether the name is right."""

from collections import Counter
from collections.abc import Sequence
from math import log

from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz.core.replay import replaying
from kibitz.core.seeds import stream
from kibitz.models.dbn.model import Dbn
from kibitz.models.dbn.parameters import Parameters
from kibitz.models.dbn.positions import strategies_of

TOPS = (1, 3, 5)


def foretold(
    parameters: Parameters, records: Sequence[Record], slices: int = 4, players: Sequence[int] = (0, 1)
) -> dict[str, float]:
    """Figures over all moves of *players* in *records*, seen by the other one, who knows his own strategy.

    `top n` is the share of moves among the n likeliest, ties counted by their chance; `chance n` is what guessing gets;
    `log loss` is in nats; `named` is the share of games at whose end the likeliest strategy is the true one.
    """
    totals: Counter[str] = Counter()
    moves = games = 0
    for record in records:
        truths = strategies_of(record)
        game = make_game(record.header.game)
        for player in players:
            watcher = Dbn(slices=slices, own=truths[1 - player])
            watcher.preset = parameters
            watcher.begin(game, 1 - player, stream(0, "foretold"))
            state = game.new_initial_state()
            for moment in replaying(record, game=game):
                if moment.event is not None:
                    if moment.event.player == player:
                        weights = watcher.likelihoods(state, player)
                        chosen = list(state.legal_actions(player)).index(moment.event.actions[0])
                        totals.update(judged(weights, chosen))
                        moves += 1
                    watcher.observe(moment.event.transition(1 - player))
                state = moment.state
            belief = watcher.belief(player)
            totals["named"] += max(belief, key=belief.__getitem__) == truths[player]
            games += 1
    return {name: round(total / (games if name == "named" else max(moves, 1)), 4) for name, total in totals.items()}


def judged(weights: Sequence[float], chosen: int) -> dict[str, float]:
    """The figures of one move: what *weights* said of all moves, and which was played."""
    better = sum(weight > weights[chosen] for weight in weights)
    alike = sum(weight == weights[chosen] for weight in weights)
    total = sum(weights)
    share = weights[chosen] / total if total > 0.0 else 1.0 / len(weights)
    found = {f"top {n}": min(1.0, max(0.0, (n - better) / alike)) for n in TOPS}
    found |= {f"chance {n}": min(1.0, n / len(weights)) for n in TOPS}
    return found | {"log loss": -log(max(share, 1e-12)), "chance log loss": log(len(weights))}

"""The strategy filter is Bayes' rule, no more and no less."""

from itertools import permutations, product

import pytest
from test_strangers import Round, Rounds

from kibitz import core
from kibitz.core.match import Moment
from kibitz.core.match.play import play, playing
from kibitz.core.match.watchers import Watcher
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_agent, make_game, make_model, spec_of
from kibitz.core.seeds import derived_seed, stream
from kibitz.core.wording import remarks, sentence
from kibitz.games.kuhn.rules import State
from kibitz.models.strangers import new_stranger
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.models.worlds import known_strategies

DILEMMA = ["tit_for_tat", "defector", "pavlov", "grim", "generous", "two_tats", "cooperator"]


def last_beliefs(record: Record, model: str) -> list[dict[str, float]]:
    return list(replaying(record, models=[model]))[-1].beliefs[model]


def likelihoods(moments: list[Moment], player: int) -> dict[str, float]:
    """How likely each strategy was to play as *player* did, by running it alone over the match."""
    game = make_game(moments[0].record.header.game)
    found = {}
    for strategy in known_strategies(game):
        strategy.begin(game, player, stream(0, "alone"))
        chance = 1.0
        for moment in moments[1:]:
            told = moment.event.transition(player)
            chance *= strategy.policy(told.before).probability(told.action_of(player))
            strategy.observe(told)
        found[str(spec_of(strategy))] = chance
    found["unknown"] = stranger_likelihood(moments, player)
    return found


def stranger_likelihood(moments: list[Moment], player: int) -> float:
    """How likely a stranger was to play as *player* did, by running one alone over the match."""
    game = make_game(moments[0].record.header.game)
    strategies = known_strategies(game)
    for strategy in strategies:
        strategy.begin(game, player, stream(0, "alone"))
    stranger, chance = new_stranger(game, player, len(strategies)), 1.0
    for moment in moments[1:]:
        told = moment.event.transition(player)
        action = told.action_of(player)
        chance *= stranger.learn(told.before, action, [strategy.policy(told.before) for strategy in strategies])
        for each in (*strategies, stranger):
            each.observe(told)
    return chance


@pytest.mark.parametrize(
    "pair", [("pavlov", "random"), ("generous", "grim"), ("two_tats", "generous"), ("random", "random")]
)
def test_it_is_prior_times_likelihood(pair: tuple[str, str]) -> None:
    moments = list(playing("dilemma(rounds=12)", pair, seed=3))
    for player in (0, 1):
        weights = {
            label: (0.2 if label == "unknown" else 0.8 / 7) * chance
            for label, chance in likelihoods(moments, player).items()
        }
        total = sum(weights.values())
        found = last_beliefs(moments[-1].record, "strategy_filter(unknown=0.2, noise=0.0)")[player]
        assert found == pytest.approx({label: weight / total for label, weight in weights.items()}, abs=1e-12)


def joint_posterior(record: Record, seat: int | None) -> list[dict[str, float]]:
    """Every deal times every assignment of strategies, weighed by the whole match: the definition, spelt out."""
    game = make_game("kuhn")
    strategies = [*known_strategies(game), None]
    labels = [*(str(spec_of(s)) for s in strategies[:-1]), "unknown"]
    prior = [0.9 / 4] * 4 + [0.1]
    moves = [("pass", "bet").index(entry.actions[0]) for entry in record.entries[3:]]
    drawn = record.header.opening
    final = list(replaying(record))[-1].state
    sums = [dict.fromkeys(labels, 0.0) for _ in range(3)]
    for deal in permutations(sorted(game.deck), 3):  # type: ignore[attr-defined]
        state: core.State = State(game, deal)  # type: ignore[arg-type]
        chances = [[1.0] * 5 for _ in range(3)]
        strangers = [new_stranger(game, player, 4) for player in range(3)]
        for ply, move in enumerate(moves):
            mover = state.current_player()
            view, policies = state.view(mover), []
            for number, strategy in enumerate(strategies[:-1]):
                strategy.begin(game, mover, stream(0, "alone"))
                policies.append(strategy.policy(view))
                chances[mover][number] *= 0.5 if ply < drawn else policies[-1].probability(move)
            chances[mover][-1] *= 0.5 if ply < drawn else strangers[mover].learn(view, move, policies)
            after = state.child(move)
            for player, stranger in enumerate(strangers):
                stranger.observe(core.Transition(ply, mover, (move,), state.view(player), after.view(player)))
            state = after
        if state.view(seat).key() != final.view(seat).key():
            continue
        for chosen in product(range(5), repeat=3):
            weight = 1.0
            for player, number in enumerate(chosen):
                weight *= prior[number] * chances[player][number]
            for player, number in enumerate(chosen):
                sums[player][labels[number]] += weight
    return [{label: weight / sum(each.values()) for label, weight in each.items()} for each in sums]


@pytest.mark.long
@pytest.mark.parametrize("opening", [0, 1, 2])
@pytest.mark.parametrize("seed", [1, 3, 8, 16])
def test_hidden_cards_are_summed_over_jointly(seed: int, opening: int) -> None:
    record = play("kuhn", ["kuhn.bluffer", "random", "kuhn.maniac"], seed=seed, opening=opening)
    for seat in (None, 0, 2):
        model = "strategy_filter(noise=0.0)" + ("" if seat is None else f"@{seat}")
        found = last_beliefs(record, model)
        for ours, exact in zip(found, joint_posterior(record, seat), strict=True):
            assert ours == pytest.approx(exact, abs=1e-12)


@pytest.mark.long
def test_too_many_worlds_are_sampled_and_come_near_the_exact_belief() -> None:
    record = play("kuhn(players=5)", ["solid", "rock", "maniac", "bluffer", "random"], seed=6)
    before_showdown = Record(record.header, record.entries[:-1])
    exact = last_beliefs(before_showdown, "strategy_filter")
    sampled = last_beliefs(before_showdown, "strategy_filter(worlds=150)")
    assert exact != sampled
    for one, other in zip(exact, sampled, strict=True):
        assert one == pytest.approx(other, abs=0.1)
    model = make_model("strategy_filter(worlds=5)")
    list(replaying(record, models=[model]))
    assert "estimated from a sample" in remarks(model.explain(0))


class HandState(core.State):
    """Two hidden cards of four each, dealt by chance and played openly, turn about; the higher sum wins."""

    def __init__(self, game: "Hands", dealt: tuple[int, ...] = (), played: tuple[int, ...] = ()) -> None:
        self.game, self.dealt, self.played = game, dealt, played

    def hand(self, player: int) -> list[int]:
        return sorted(set(self.dealt[2 * player : 2 * player + 2]) - set(self.played) - {-1})

    def current_player(self) -> int:
        if len(self.dealt) < 4:
            return core.CHANCE
        return core.TERMINAL if len(self.played) == 4 else len(self.played) % 2

    def legal_actions(self, player: int | None = None) -> list[int]:
        mover = self.current_player()
        if mover < 0:
            return []
        known = -1 not in self.dealt[2 * mover : 2 * mover + 2]
        others = {card for card in self.dealt if card >= 0} - set(self.hand(mover))
        return self.hand(mover) if known else sorted(set(range(4)) - set(self.played) - others)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = sorted(set(range(4)) - set(self.dealt)) if len(self.dealt) < 4 else []
        return [(card, 1 / len(left)) for card in left]

    def apply_action(self, action: int) -> None:
        if len(self.dealt) < 4:
            self.dealt += (action,)
        else:
            self.played += (action,)

    def returns(self) -> list[float]:
        won = float(sum(self.played[::2]) - sum(self.played[1::2]))
        return [won, -won]

    def key(self) -> core.Key:
        return self.dealt, self.played

    def view(self, player: int | None) -> "HandState":
        shown = (card if player == place // 2 or card in self.played else -1 for place, card in enumerate(self.dealt))
        return HandState(self.game, tuple(shown), self.played)

    def complete(self, rng: core.Rng) -> "HandState":
        left = iter(rng.permutation(sorted(set(range(4)) - set(self.dealt))).tolist())
        return HandState(self.game, tuple(next(left) if card < 0 else card for card in self.dealt), self.played)

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        return action if player != core.CHANCE or observer == len(self.dealt) // 2 else None


class Hands(core.Game):
    """Hands decide what may be played, so worlds differ in what is legal."""

    hidden = True
    utility = (-6.0, 6.0)

    def new_initial_state(self) -> HandState:
        return HandState(self)


class Highest(core.Strategy):
    """Plays its best card."""

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        return core.Distribution.certain(legal[-1], legal)


def test_worlds_in_which_a_move_is_illegal_are_ruled_out() -> None:
    for seed in range(12):
        for seat in (None, 0):
            models = [Watcher(StrategyFilter(), seat), Watcher(StrategyFilter(strategies=(Highest(),)), seat)]
            moments = list(playing(Hands(), [Highest(), "random"], models=models, seed=seed))
            assert moments[-1].record.ending.model_errors == {}


def test_predictions_add_up_where_worlds_differ_in_what_is_legal() -> None:
    model = StrategyFilter()
    for moment in playing(Hands(), ["random", "random"], models=[model], seed=3):
        for player in Hands().movers(moment.state):
            expected = model.predict(moment.state.view(None), player)
            assert expected.total() == pytest.approx(1.0)
    # Before anything is played, each card is as likely as any other to an outsider.
    fresh = StrategyFilter()
    dealt = next(m for m in playing(Hands(), ["random", "random"], models=[fresh], seed=3) if len(m.state.dealt) == 4)
    expected = fresh.predict(dealt.state.view(None), 0)
    assert [expected.probability(card) for card in range(4)] == pytest.approx([0.25] * 4)


def test_two_hypotheses_of_one_name_share_a_label() -> None:
    record = play("dilemma(rounds=4)", ["grim", "defector"])
    belief = last_beliefs(record, "strategy_filter(strategies=[dilemma.grim, dilemma.grim, dilemma.defector])")[0]
    assert sum(belief.values()) == pytest.approx(1.0)
    assert len(belief) == 3


def test_drift_lets_a_player_change() -> None:
    sheet = f"scripted(moves={['cooperate'] * 10 + ['defect'] * 10})"
    turncoat = play("dilemma(rounds=20)", [sheet, "cooperator"])
    steady = last_beliefs(turncoat, "strategy_filter(noise=0.0)")[0]
    drifting = last_beliefs(turncoat, "strategy_filter(noise=0.0, drift=0.02)")[0]
    assert steady["dilemma.defector"] == 0.0
    assert drifting["dilemma.defector"] > 0.9


def test_a_slip_costs_a_strategy_little() -> None:
    sheet = f"scripted(moves={['cooperate'] * 6 + ['defect'] + ['cooperate'] * 6})"
    slipped = play("dilemma(rounds=13)", [sheet, "cooperator"])
    assert last_beliefs(slipped, "strategy_filter(noise=0.0)")[0]["unknown"] > 0.5
    assert last_beliefs(slipped, "strategy_filter(noise=0.05)")[0]["unknown"] < 0.05


def test_a_move_that_no_strategy_explains_breaks_nothing() -> None:
    record = play(
        "dilemma(rounds=6)",
        ["scripted(moves=['defect', 'cooperate', 'defect'])", "random"],
        models=["strategy_filter(strategies=[cooperator], unknown=0.0, noise=0.0)"],
    )
    assert record.ending.model_errors == {}
    assert sum(record.entries[-1].beliefs.popitem()[1][0].values()) == pytest.approx(1.0)


def test_a_player_who_follows_nothing_known_is_unknown() -> None:
    record = play("dilemma(rounds=40)", ["random", "cooperator"], seed=2)
    assert last_beliefs(record, "strategy_filter")[0]["unknown"] > 0.95


def test_without_strategies_everyone_is_unknown() -> None:
    model = make_model("strategy_filter")
    model.begin(make_game("dilemma"), None, stream(0, "x"))
    assert len(model.belief(0)) == 8

    class Bare(type(make_game("dilemma"))):  # type: ignore[misc]
        """A game nobody registered."""

    model.begin(Bare(), None, stream(0, "x"))
    assert model.belief(0) == {"unknown": 1.0}


@pytest.mark.long
def test_beliefs_are_as_right_as_they_are_sure() -> None:
    """Players drawn from the prior: of the labels given 40 to 60 %, about half must be true, and so on for all."""
    totals: dict[int, list[float]] = {}
    for match in range(120):
        rng = stream(match, "calibration")
        chosen = [DILEMMA[int(rng.random() * 7)] if rng.random() > 0.1 else "random" for _ in (0, 1)]
        agents = [make_agent(name, "dilemma") for name in chosen]
        record = play(
            "dilemma(rounds=6)",
            agents,
            models=["strategy_filter(noise=0.0)"],
            seed=derived_seed(match, "calibration"),
        )
        for player, truth in enumerate(record.header.agents):
            label = "unknown" if truth == "random" else truth
            for entry in record.entries:
                for name, share in entry.beliefs["strategy_filter(noise=0.0)"][player].items():
                    cell = totals.setdefault(min(4, int(share * 5)), [0.0, 0.0, 0.0])
                    cell[0] += 1
                    cell[1] += share
                    cell[2] += name == label
    for count, shares, hits in totals.values():
        assert hits / count == pytest.approx(shares / count, abs=0.09)
    assert len(totals) == 5


@pytest.mark.needs("lab")
def test_strategies_may_be_asked_at_another_depth_and_keep_their_names() -> None:
    game = make_game("pawns")
    state = game.new_initial_state()
    costs = []
    for depth in (1, 3):
        model = make_model(f"strategy_filter(depth={depth}, unknown=0, noise=0)")
        model.begin(game, None, stream(1, "m"))
        assert list(model.belief(0)) == ["pawns.s4", "pawns.s3", "pawns.s2", "pawns.s1", "unknown"]
        asked = [make_agent(f"pawns.{name}(depth={depth})") for name in ("s4", "s3", "s2", "s1")]
        for agent in asked:
            agent.begin(game, 0, stream(1, "a"))
        parts = [(0.25, agent.policy(state)) for agent in asked]  # type: ignore[attr-defined]
        expected = core.Distribution.mixture(parts, state.legal_actions())
        found = model.predict(state, 0)
        for action in state.legal_actions():
            assert found.probability(action) == pytest.approx(expected.probability(action))
        costs.append(model.searched)
        assert model.searched == sum(agent.searched for agent in asked)
        model.predict(state, 0)
        assert model.searched == 2 * costs[-1]  # what is remembered counts again
    assert costs[0] < costs[1]
    assert make_model("strategy_filter(depth=2)").clone().depth == 2  # type: ignore[attr-defined]


def test_ten_thousand_actions_and_positions_with_one_action_cost_little_memory() -> None:
    model, rng, state = StrategyFilter(strategies=(Highest(),)), stream(1), Round(range(10_000))
    model.begin(Rounds(10_000), None, rng)
    for ply in range(120):
        assert model.predict(state, 0).total() == pytest.approx(1.0)
        action = state.actions[int(rng.integers(len(state.actions)))]
        after = Round(range(10_000) if ply % 3 else [0], ply + 1)
        model.observe(core.Transition(ply, 0, (action,), state, after))
        state = after
    assert model.belief(0)["unknown"] > 0.99
    assert model.known is not None
    assert sum(len(each.anything.legal) for each in model.known.values()) <= 300_000
    assert "none of the known" in sentence(model.explain(0), "Ann")
